// What many fans do at once in the rooms in Redis: polls and entries. Many in one script, and the
// entries in one write of the database.
#include <algorithm>
#include <utility>

#include "adapters/redis/waiting_room/little_endian.h"
#include "adapters/redis/waiting_room/room_scripts.h"
#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "base/numbers.h"

namespace maejin::redis {
namespace {

// What room_polls.lua says of a fan, beside or instead of its rank.
constexpr std::uint32_t kReady = 0x40000000, kNew = 0x80000000, kMissed = 0xfffffffd, kUndrawn = 0xfffffffe,
                        kAlone = 0xffffffff;
// What room_enters.lua says of a fan.
enum class Entry : unsigned char { kInside = 2, kNotItsTurn = 3, kClosed = 4 };

// As room_polls.lua and room_enters.lua read it.
std::string ClaimOf(const SignOfLife& sign) {
  switch (sign.join) {
    case SignOfLife::Join::kYes:
      return "join";
    case SignOfLife::Join::kFromLimitedAddress:
      return "join-limited";
    case SignOfLife::Join::kNo:
      break;
  }
  return std::to_string(sign.place.number);
}

// Numbers that only some fans have, one after the other.
template <class Number>
class Numbers {
 public:
  explicit Numbers(std::string_view text) : text_(text) {}
  Number Next() {
    const auto end = std::min(text_.find(' '), text_.size());
    const auto number = WholeNumber<Number>(text_.substr(0, end)).value_or(0);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return number;
  }

 private:
  std::string_view text_;
};

}  // namespace

// What the room tells everybody.
void WaitingRoomStore::Complete(const Known& known, PlaceAnswer& answer, Time now) {
  auto& standing = answer.standing;
  answer.state = known.info.serving.state;
  answer.notice = known.notice;
  answer.token_ttl = known.info.settings.token_ttl;
  if (standing.status == PlaceStatus::kReady) {
    standing.eta = Eta{};
  } else if (standing.status == PlaceStatus::kWaiting && standing.rank && answer.state == RoomState::kOpen) {
    standing.eta = known.outflow.UntilEntered(std::uint64_t{*standing.rank} + 1, now);
  }
}

WaitingRoomStore::ScriptWords WaitingRoomStore::ClaimsOf(const RoomId& room, const SignsOfLife& signs) const {
  if (const auto known = Find(room)) {
    for (const auto* sign : signs) Believe(*known, sign->place);
  }
  auto words = Happened(room);
  words.reserve(words.size() + 2 * signs.size());
  for (const auto* sign : signs) words.push_back(sign->place.user);
  for (const auto* sign : signs) words.push_back(ClaimOf(*sign));
  return words;
}

Task<Outcome<WaitingRoomStore::Told>> WaitingRoomStore::AskForMany(const Script* script, RoomId room,
                                                                   std::vector<UserId> users,
                                                                   ScriptWords words, Time now) {
  auto reply = co_await RunForMany(script, room, std::move(users), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  auto found = co_await Knowing(room, now, reply->At(1).AsInteger());
  if (!found.ok()) co_return found.error();
  auto& known = *found;
  const auto epoch = static_cast<std::uint32_t>(reply->At(2).AsInteger());
  known->witness->Saw(epoch, static_cast<std::uint32_t>(reply->At(3).AsInteger()));
  co_return Told{std::move(known), epoch, std::move(*reply)};
}

// Of a waiter, with what room_polls.lua says of it.
PlaceAnswer WaitingRoomStore::AnswerOf(const Told& told, std::uint32_t place, PlaceNumber number,
                                       std::optional<Time> turn_ends, Time now) {
  const auto& known = *told.known;
  const auto& serving = known.info.serving;
  PlaceAnswer answer;
  auto& standing = answer.standing;
  answer.first = place >= kNew && place != kUndrawn;
  answer.epoch = told.epoch;
  standing.number = number;
  if (turn_ends) {
    standing.status = PlaceStatus::kReady;
    standing.ends_at = turn_ends;
    place -= kReady;
  }
  if (answer.first) {
    const auto newcomer = place - kNew;
    standing.number = static_cast<PlaceNumber>(told.reply.At(5).AsInteger()) + 1 + newcomer;
    // Drawn or not as the script saw it: the room may have opened since.
    const auto waiting = told.reply.At(6).AsInteger();
    if (waiting >= 0) standing.rank = static_cast<std::uint32_t>(waiting) + newcomer;
  } else if (place != kUndrawn) {
    standing.rank = place;
  }
  known.witness->Saw(standing.number);
  Pace(standing, serving.state, known.info.settings, now);
  if (standing.rank) standing.rank = Steady(known, answer, *standing.rank, told.reply.At(4).AsInteger(), now);
  Complete(known, answer, now);
  return answer;
}

Task<void> WaitingRoomStore::PollMany(RoomId room, SignsOfLife signs, Time now) {
  co_await PollTogether(room, signs, now);
  co_await TellWithoutRedis(std::move(room), std::move(signs), now);
}

// After a loss everybody comes back within one interval: they are put back together, as they are asked for.
Task<void> WaitingRoomStore::ReturnMany(RoomId room, SignsOfLife signs, Time now) {
  std::vector<PlaceRef> places;
  for (const auto* sign : signs) places.push_back(sign->place);
  auto back = co_await PutBack(room, std::move(places), now);
  if (!back.ok()) Refuse(signs, back.error());
  if (back.ok() && *back > 0) co_await PollTogether(room, signs, now);
  co_await TellWithoutRedis(std::move(room), std::move(signs), now);
}

// Waiters; room_polls.lua says who is one.
Task<void> WaitingRoomStore::PollTogether(RoomId room, SignsOfLife signs, Time now) {
  // Claims are believed of a room that is known.
  auto known_before = co_await Knowing(room, now);
  if (!known_before.ok()) co_return Refuse(signs, known_before.error());
  auto told = co_await AskForMany(&RoomScripts::Get().polls, room, std::vector<UserId>(1),
                                  ClaimsOf(room, signs), now);
  if (!told.ok()) co_return Refuse(signs, told.error());
  const auto& bytes = told->reply.At(9).text;
  Numbers<PlaceNumber> numbers(told->reply.At(7).text);
  Numbers<std::int64_t> turns(told->reply.At(8).text);
  std::vector<PlaceView> joined;
  for (std::size_t i = 0; i < signs.size() && (i + 1) * 4 <= bytes.size(); ++i) {
    const auto place = LittleEndian(bytes.data() + i * 4);
    auto& sign = *signs[i];
    sign.missed = place == kMissed;
    sign.alone = sign.missed || place == kAlone;
    if (sign.alone) continue;
    const bool unnamed = (place < kNew || place == kUndrawn) && sign.place.number == 0;
    std::optional<Time> turn_ends;
    if (place != kUndrawn && (place & kReady) != 0) turn_ends = TimeFromMillis(turns.Next());
    auto answer = AnswerOf(*told, place, unnamed ? numbers.Next() : sign.place.number, turn_ends, now);
    if (sign.join != SignOfLife::Join::kNo)
      joined.push_back({room, sign.place.user, answer.standing.number, answer.epoch});
    sign.answer = std::move(answer);
  }
  ShowMain(joined);
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Poll(PlaceRef place, Time now) {
  SignOfLife sign{std::move(place)};
  co_await polls_.Send(&sign, now);
  // By themselves: nobody who is there waits for the database.
  if (MayReturn(sign, now)) co_await returns_.Send(&sign, now);
  if (std::exchange(sign.alone, false)) {
    sign.answer = co_await RunForPlace(&RoomScripts::Get().poll, sign.place, now);
    SignsOfLife only(1, &sign);
    co_await TellWithoutRedis(sign.place.room, std::move(only), now);
  }
  co_return std::move(sign.answer);
}

// Many plain waiters at once; room_enters.lua says who is one.
Task<void> WaitingRoomStore::EnterMany(RoomId room, SignsOfLife signs, Time now) {
  std::vector<UserId> users;
  for (const auto* sign : signs) users.push_back(sign->place.user);
  auto told =
      co_await AskForMany(&RoomScripts::Get().enters, room, std::move(users), ClaimsOf(room, signs), now);
  if (!told.ok()) co_return Refuse(signs, told.error());
  const auto& reply = told->reply;
  const auto& bytes = reply.At(10).text;
  Numbers<PlaceNumber> numbers(reply.At(9).text);
  PlaceAnswer inside;
  inside.epoch = told->epoch;
  inside.standing.status = PlaceStatus::kEntered;
  inside.standing.rank = 0;
  inside.standing.entered_at = TimeFromMillis(reply.At(4).AsInteger());
  inside.standing.ends_at = TimeFromMillis(reply.At(5).AsInteger());
  inside.standing.session_ends_at = TimeFromMillis(reply.At(6).AsInteger());
  Complete(*told->known, inside, now);
  std::vector<AdmissionRecord> records;
  records.reserve(signs.size());
  std::vector<PlaceView> shown;
  for (std::size_t i = 0; i < std::min(signs.size(), bytes.size()); ++i) {
    auto& sign = *signs[i];
    switch (static_cast<Entry>(bytes[i])) {
      case Entry::kInside:
        inside.standing.number = sign.place.number != 0 ? sign.place.number : numbers.Next();
        Pace(inside.standing, inside.state, told->known->info.settings, now);
        sign.answer = inside;
        records.push_back(AdmissionOf(sign.place, inside));
        shown.push_back({room, sign.place.user, inside.standing.number, inside.epoch});
        break;
      case Entry::kNotItsTurn:
        sign.answer = Refusal::kNotYourTurn;
        break;
      case Entry::kClosed:
        sign.answer = Refusal::kRoomClosed;
        break;
      default:
        sign.alone = true;
    }
  }
  if (records.empty()) co_return;
  ShowMain(shown);
  // Where nothing else is owed to the database, nothing is to go before this.
  const auto before = reply.At(8).AsInteger() == 0 ? Before::kNothing : Before::kTheLog;
  auto recorded = co_await WriteDown(room, std::move(records), now, before);
  if (recorded.ok()) {
    ForgetNotes(room, {reply.At(7).text});
  } else {
    for (auto* sign : signs) {
      if (sign->answer.ok()) sign->answer = recorded.error();
    }
  }
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Enter(PlaceRef place, Time now) {
  // Nobody is let in whom the database could not remember.
  if (!log_answers_.load(std::memory_order_relaxed)) co_return Refusal::kUnavailable;
  const auto known = Find(place.room);
  const bool plain =
      known && known->info.settings.admission == Admission::kClaim && !known->info.settings.rate_per_minute;
  SignOfLife sign{.place = std::move(place), .alone = !plain};
  if (plain) co_await enters_.Send(&sign, now);
  if (sign.alone) sign.answer = co_await RunForPlace(&RoomScripts::Get().enter, sign.place, now);
  if (sign.answer.ok() && Settling(sign.place.room, now)) co_await checks_.Send(&sign, now);
  co_return std::move(sign.answer);
}

// The seed's view of `main`, for readers: it follows the truth, and what is left over ends by its own TTL.
void WaitingRoomStore::ShowMain(const std::vector<PlaceView>& places) {
  if (!options_.token_of || places.empty() || places[0].room != kMainRoom) return;
  const auto known = Find(kMainRoom);
  const Millis ttl = known ? known->info.settings.token_ttl : Seconds{600};
  std::vector<RoomKeys::Shown> shown;
  for (const auto& place : places) shown.push_back({place.user, options_.token_of(place)});
  client_.SendEval(RoomScripts::Get().show, KeysOf(kMainRoom).ShowArguments(shown, ttl));
}

}  // namespace maejin::redis
