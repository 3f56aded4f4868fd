// The polls of the rooms in Redis: many in one script, and ranks that never rise.
#include <algorithm>

#include "adapters/redis/room_scripts.h"
#include "adapters/redis/waiting_room_store.h"

namespace maejin::redis {
namespace {

// Of each fan in the answer of room_polls.lua.
constexpr std::size_t kPollBytes = 13;

std::uint32_t LittleEndian(const char* bytes) {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

void AppendLittleEndian(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

}  // namespace

// What the room tells everybody.
void WaitingRoomStore::Complete(const Known& known, PlaceAnswer& answer, Time now) {
  auto& standing = answer.standing;
  answer.state = known.info.serving.state;
  answer.notice = known.notice;
  if (standing.status == PlaceStatus::kReady) {
    standing.eta = Eta{};
  } else if (standing.status == PlaceStatus::kWaiting && standing.rank && answer.state == RoomState::kOpen) {
    standing.eta = known.outflow.UntilEntered(std::uint64_t{*standing.rank} + 1, now);
  }
}

// Fans who come back after a loss would push each other's ranks up: until that is over a fan is told what it was told
// before, less those who were admitted since; a newcomer, that all of before and all newcomers before it are ahead.
// Whom this node told nothing waits for a rank.
std::optional<std::uint32_t> WaitingRoomStore::Steady(const Known& known, const PlaceAnswer& answer,
                                                      std::uint32_t rank, std::int64_t admitted) {
  auto& witness = *known.witness;
  const auto number = answer.standing.number;
  if (admitted < 0) {
    witness.told.Tell(number, rank);
    return rank;
  }
  const auto last = witness.told.Last(number);
  std::int64_t base = 0;
  if (number > known.lost_number) {
    base = std::int64_t{known.lost_waiting} + number - known.lost_number - 1;
  } else if (last) {
    base = witness.settling.Base(answer.epoch, number, *last, admitted);
  } else {
    return {};
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(base - admitted, 0));
}

// Many plain waiters at once; room_polls.lua says who is one.
Task<std::vector<PollResult>> WaitingRoomStore::PollMany(RoomId room, std::vector<SignOfLife> signs,
                                                         Time now) {
  std::vector<PollResult> results(signs.size());
  for (const auto& sign : signs) Believe(sign.place);
  auto words = Happened(room);
  for (auto& sign : signs) {
    words.push_back(std::move(sign.place.user));
    auto& claim = words.emplace_back(std::move(sign.join));
    if (!claim.empty()) continue;
    AppendLittleEndian(claim, sign.place.number);
    AppendLittleEndian(claim, sign.place.epoch);
  }
  auto reply = co_await Run(&RoomScripts::Get().polls, room, UserId(), std::move(words), now);
  if (!reply.ok()) {
    // A room that does not exist is told to each of them by its own question.
    const bool away = reply.error() == Refusal::kUnavailable;
    for (auto& result : results) result.kind = away ? PollResult::Kind::kAway : PollResult::Kind::kAlone;
    co_return results;
  }
  auto known = Find(room);
  if (!known || known->version != reply->At(1).AsInteger()) {
    auto refreshed = co_await Refresh(room, now);
    if (!refreshed.ok()) co_return results;
    known = *refreshed;
  }
  const auto epoch = static_cast<std::uint32_t>(reply->At(2).AsInteger());
  known->witness->Saw(epoch, static_cast<std::uint32_t>(reply->At(3).AsInteger()));
  const auto& bytes = reply->At(5).text;
  for (std::size_t i = 0; i < results.size() && (i + 1) * kPollBytes <= bytes.size(); ++i) {
    const char* told = bytes.data() + i * kPollBytes;
    const bool plain = told[0] == 0 || told[0] == 1;
    results[i].kind = plain ? PollResult::Kind::kTold : PollResult::Kind::kAlone;
    if (!plain) continue;
    auto& answer = results[i].answer;
    answer.first = told[0] == 1;
    answer.standing.number = LittleEndian(told + 1);
    known->witness->Saw(answer.standing.number);
    answer.epoch = epoch;
    answer.standing.rank = Steady(*known, answer, LittleEndian(told + 5), reply->At(4).AsInteger());
    answer.standing.poll_after = Millis{LittleEndian(told + 9)};
    answer.standing.poll_interval = answer.standing.poll_after;
    Complete(*known, answer, now);
  }
  co_return results;
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Poll(PlaceRef place, Time now) {
  SignOfLife sign{place, std::string()};
  auto result = co_await polls_.Send(std::move(sign), now);
  if (result.kind == PollResult::Kind::kTold) co_return std::move(result.answer);
  if (result.kind == PollResult::Kind::kAlone) {
    auto answer = co_await RunForPlace(&RoomScripts::Get().poll, place, now);
    if (answer.ok() || answer.error() != Refusal::kUnavailable) co_return answer;
  }
  auto answer = co_await WithoutRedis(std::move(place), now);
  co_return answer;
}

}  // namespace maejin::redis
