#include "app/redis_module.h"

#include "adapters/redis/client/examine.h"
#include "app/back_ends.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::app {
namespace {

// The pub/sub channel on which nodes tell each other about changed bookings.
constexpr char kNotices[] = "booking:changes";

// Absent if the room belongs to no known concert.
std::optional<std::int64_t> SeatsLeft(const BookingStore& bookings, const RoomId& room, Time now) {
  const auto concert = ConcertOf(room);
  const auto stock = concert ? bookings.StockAtOnce(*concert, now) : std::nullopt;
  if (!stock) return {};
  return stock->available;
}

}  // namespace

RedisModule::RedisModule(const redis::Address& address, const Clock& own)
    : address_(address.ToString()),
      client_(address),
      clock_(own, client_),
      node_(std::to_string(SystemRandom().Next64())) {
  const auto findings = RunTask(redis::Examine(client_));
  for (const auto& finding : findings) {
    if (finding.health == Health::kBad)
      throw RedisUnfit(findings.size() == 1 ? finding.sentence
                                            : "Redis at " + address_ + ": " + finding.sentence);
    if (finding.health == Health::kWarning) LogWarning("redis: {}", finding.sentence);
  }
}

void RedisModule::Broadcast(std::string text) {
  client_.Send(redis::Command("PUBLISH", kNotices, node_ + " " + text));
}

redis::Client::Subscription RedisModule::ListenToNodes(std::function<void(std::string_view)> listener) {
  auto hear = [own = node_ + " ", listener = std::move(listener)](const std::string* message) {
    if (message == nullptr || message->starts_with(own)) return;
    const auto blank = message->find(' ');
    if (blank != std::string::npos) listener(std::string_view(*message).substr(blank + 1));
  };
  return client_.Subscribe(kNotices, std::move(hear));
}

std::unique_ptr<WaitingRoomStore> RedisModule::MakeRooms(RoomDependencies deps) {
  redis::WaitingRoomStoreOptions options;
  options.pause_after = kPauseAfter;
  options.token_of = [&keys = deps.keys](const PlaceView& place) {
    std::string token;
    AppendPlaceToken(keys, place, token);
    return token;
  };
  options.audit = std::move(deps.audit);
  options.seats_left = [&bookings = deps.bookings, this](const RoomId& room) {
    return SeatsLeft(bookings, room, clock_.Now());
  };
  return std::make_unique<redis::WaitingRoomStore>(client_, deps.random, deps.admissions, std::move(options));
}

std::unique_ptr<redis::RankingStore> RedisModule::MakeBoards(RankingHistory& history, Random& random,
                                                             TimeZone zone) {
  return std::make_unique<redis::RankingStore>(client_, history, random,
                                               redis::RankingStoreOptions{zone, clock_.Now()});
}

void RedisModule::Attach(http::Server& server) {
  for (const auto& executor : server.executors()) client_.Attach(executor.context());
}

}  // namespace maejin::app
