#include "cli/redis_part.h"

#include <stdexcept>

#include "adapters/redis/examine.h"
#include "adapters/redis/waiting_room_store.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::cli {
namespace {

// Twenty ticks of every node missed: nobody could poll.
constexpr Millis kStopped{2000};

}  // namespace

RedisPart::RedisPart(const redis::Address& address, const Clock& own)
    : client_(address), clock_(own, client_) {
  for (const auto& finding : RunTask(redis::Examine(client_))) {
    if (finding.health == redis::RedisFinding::Health::kBad)
      throw std::runtime_error("redis: " + finding.sentence);
    if (finding.health == redis::RedisFinding::Health::kWarning) LogWarning("redis: {}", finding.sentence);
  }
}

std::unique_ptr<WaitingRoomStore> RedisPart::MakeRooms(RoomParts parts) {
  redis::WaitingRoomStoreOptions options;
  options.pause_after = kStopped;
  options.token_of = [&keys = parts.keys](const PlaceView& place) {
    std::string token;
    AppendPlaceToken(keys, place, token);
    return token;
  };
  options.audit = [&audit = parts.audit](Time at, const std::string& actor, const std::string& action,
                                         const RoomId& room, const std::string& detail) {
    embedded::WriteSet rows;
    const auto subject = "room " + room;
    audit.Append(rows, {at, actor, action, subject, detail});
  };
  options.seats_left = std::move(parts.seats_left);
  return std::make_unique<redis::WaitingRoomStore>(client_, parts.random, std::move(options));
}

void RedisPart::Attach(http::Server& server) {
  for (const auto& executor : server.executors()) client_.Attach(executor.context());
}

}  // namespace maejin::cli
