#include "adapters/redis/waiting_room/replies.h"

#include <array>
#include <numeric>

#include "base/big_endian.h"
#include "domain/waiting_room/waiting_room.h"

namespace maejin::redis {
namespace {

// The script's own values follow code, head and log.
constexpr std::size_t kOwn = 3;
// An answer to fans, as room_together.lua packs it: big-endian numbers of these sizes. The last number is how
// many fans in a row get this answer.
constexpr std::array<std::size_t, 7> kAnswerParts = {1, 8, 4, 8, 8, 1, 2};
constexpr auto kAnswerBytes = std::accumulate(kAnswerParts.begin(), kAnswerParts.end(), std::size_t{0});

template <class Number>
Number NumberAt(const Reply& reply, std::size_t index) {
  return static_cast<Number>(reply.At(index).AsInteger());
}
Time TimeAt(const Reply& reply, std::size_t index) { return TimeFromMillis(reply.At(index).AsInteger()); }

std::vector<std::string> Texts(const Reply& reply) {
  std::vector<std::string> texts;
  for (const auto& element : reply.elements) texts.push_back(element.text);
  return texts;
}

// Decodes one packed answer, and adds it once for each fan that it serves. The numbers of these fans follow
// each other, or all are 0.
void AddFans(std::string_view bytes, std::vector<FanReply>& fans) {
  std::array<std::int64_t, kAnswerParts.size()> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = static_cast<std::int64_t>(NumberOfBigEndian(bytes.substr(0, kAnswerParts[i])));
    bytes.remove_prefix(kAnswerParts[i]);
  }
  FanReply fan;
  fan.status = static_cast<std::int8_t>(parts[0]);
  fan.number = static_cast<PlaceNumber>(parts[1]);
  fan.interval = Millis{parts[2]};
  if (parts[3] > 0) fan.ends_at = TimeFromMillis(parts[3]);
  fan.entered_at = TimeFromMillis(parts[4]);
  fan.is_new = (parts[5] & 1) != 0;
  fan.entered_now = (parts[5] & 2) != 0;
  fan.is_unshown = (parts[5] & 4) != 0;
  fans.reserve(fans.size() + static_cast<std::size_t>(parts[6]));
  for (auto left = parts[6]; left > 0; --left) {
    fans.push_back(fan);
    if (fan.number != 0) ++fan.number;
  }
}

std::vector<FanReply> FansOf(std::string_view answers) {
  std::vector<FanReply> fans;
  for (; answers.size() >= kAnswerBytes; answers.remove_prefix(kAnswerBytes))
    AddFans(answers.substr(0, kAnswerBytes), fans);
  return fans;
}

}  // namespace

RoomCode CodeOf(const Reply& reply) { return static_cast<RoomCode>(reply.At(0).AsInteger()); }

RoomHead DecodeHead(const Reply& reply) {
  const auto at = [&](std::size_t index) { return NumberAt<std::uint32_t>(reply.At(1), index); };
  RoomHead head{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
  if (reply.At(2).is_array()) head.log = Texts(reply.At(2));
  return head;
}

std::optional<Refused> FanReply::refusal() const {
  if (status >= 0) return {};
  if (Is(RoomCode::kNotYourTurn)) return Refusal::kNotYourTurn;
  if (Is(RoomCode::kClosed)) return Refusal::kRoomClosed;
  if (Is(RoomCode::kNotOpen)) return Refusal::kNotOpen;
  if (Is(RoomCode::kSoldOut)) return Refusal::kSoldOut;
  if (Is(RoomCode::kTooMany)) return Refusal::kTooManyRequests;
  return Refusal::kNotQueued;
}

std::vector<FanReply> DecodeFans(const Reply& reply) { return FansOf(reply.At(kOwn).text); }

EnterReply DecodeEnter(const Reply& reply) {
  return {FansOf(reply.At(kOwn).text), reply.At(kOwn + 1).text, reply.At(kOwn + 2).AsInteger() != 0};
}

EndReply DecodeEnd(const Reply& reply) {
  return {static_cast<RoomCode>(reply.At(kOwn).AsInteger()), NumberAt<PlaceNumber>(reply, kOwn + 1),
          reply.At(kOwn + 2).AsInteger() != 0, TimeAt(reply, kOwn + 1)};
}

TickReply DecodeTick(const Reply& reply) {
  TickReply tick{{}, reply.At(kOwn + 1).AsInteger()};
  if (reply.At(kOwn).AsInteger() > 0) tick.next_due = TimeAt(reply, kOwn);
  return tick;
}

std::vector<std::string> DecodeNames(const Reply& reply) { return Texts(reply); }

std::int64_t DecodeRestored(const Reply& reply) { return reply.At(kOwn).AsInteger(); }

std::optional<std::vector<std::string>> DecodeLogEntries(const Reply& reply) {
  if (CodeOf(reply) != RoomCode::kDone) return {};
  return Texts(reply.At(1));
}

std::optional<InsideReply> DecodeInside(const Reply& reply) {
  if (reply.elements.empty()) return {};
  return InsideReply{NumberAt<PlaceNumber>(reply, 0), std::max(TimeAt(reply, 1), TimeAt(reply, 3)),
                     TimeAt(reply, 2), NumberAt<std::int64_t>(reply, 4), NumberAt<std::uint32_t>(reply, 5)};
}

RoomHead DecodePeek(const Reply& reply) {
  return {.epoch = NumberAt<std::uint32_t>(reply, 0),
          .changes = NumberAt<std::uint32_t>(reply, 1),
          .version = NumberAt<std::int64_t>(reply, 2)};
}

}  // namespace maejin::redis
