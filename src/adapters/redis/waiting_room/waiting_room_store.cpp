#include "adapters/redis/waiting_room/waiting_room_store.h"

#include <algorithm>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "base/log.h"
#include "domain/waiting_room/join_limit.h"

namespace maejin::redis {
namespace {

// Phases, a missing room: at most so many errands before a script is given up.
constexpr int kErrands = 6;
// Clocks of nodes, and calls of one fan that overtake each other, differ by less.
constexpr Millis kOneMoment{1000};

Refused Unavailable() { return Refusal::kUnavailable; }

}  // namespace

WaitingRoomStore::WaitingRoomStore(Client& client, Random& random, WaitingRoomStoreOptions options)
    : client_(client),
      random_(random),
      options_(std::move(options)),
      polls_(Together(&WaitingRoomStore::PollMany), options_.gather),
      returns_(Together(&WaitingRoomStore::ReturnMany), options_.gather),
      enters_(Together(&WaitingRoomStore::EnterMany), options_.gather),
      checks_(Together(&WaitingRoomStore::CheckUnused), options_.gather) {}

PollBatches::Ask WaitingRoomStore::Together(Task<void> (WaitingRoomStore::*ask)(RoomId, SignsOfLife, Time)) {
  return [this, ask](RoomId room, SignsOfLife signs, Time now) {
    return (this->*ask)(std::move(room), std::move(signs), now);
  };
}

WaitingRoomStore::~WaitingRoomStore() { errands_.Close(); }

// What the node knows.

WaitingRoomStore::KnownPtr WaitingRoomStore::Find(const RoomId& room) const {
  const std::shared_lock lock(mutex_);
  const auto found = rooms_.find(room);
  return found == rooms_.end() ? nullptr : found->second;
}

void WaitingRoomStore::Remember(RoomRecord record) {
  auto known = std::make_shared<Known>();
  known->version = record.version;
  known->lost_number = record.lost_number;
  known->lost_waiting = record.lost_waiting;
  known->lost_at = record.lost_at;
  known->server = std::move(record.server);
  known->info = std::move(record.info);
  const auto& notice = known->info.settings.notice;
  if (!notice.empty()) known->notice = std::make_shared<const std::string>(notice);
  for (const auto& [step, entries] : record.entries) {
    for (std::int64_t i = 0; i < entries; ++i) known->outflow.Count(TimeFromMillis(step * 10'000));
  }
  const std::unique_lock lock(mutex_);
  auto& slot = rooms_[known->info.room];
  if (slot) known->witness = slot->witness;
  known->witness->Saw(known->info.last_number);
  slot = std::move(known);
}

void WaitingRoomStore::Witness::Saw(PlaceNumber number) {
  auto seen = highest.load(std::memory_order_relaxed);
  while (number > seen && !highest.compare_exchange_weak(seen, number, std::memory_order_relaxed)) {
  }
}

void WaitingRoomStore::Witness::Saw(std::uint32_t epoch, std::uint32_t changes) {
  const auto now = std::uint64_t{epoch} << 32 | changes;
  auto seen = happened.load(std::memory_order_relaxed);
  while (now > seen && !happened.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

// A signed token proves that its number was given, whatever Redis says.
void WaitingRoomStore::Believe(const Known& known, const PlaceRef& place) {
  if (place.number == 0) return;
  known.witness->Saw(place.number);
  known.witness->Saw(place.epoch, 0);
}

WaitingRoomStore::ScriptWords WaitingRoomStore::Happened(const RoomId& room) const {
  const auto known = Find(room);
  if (!known) return {"0", "0", "0"};
  const auto happened = known->witness->happened.load();
  return {std::to_string(happened >> 32), std::to_string(happened & 0xffffffffU),
          std::to_string(known->witness->highest.load())};
}

std::vector<RoomId> WaitingRoomStore::Rooms() const {
  const std::shared_lock lock(mutex_);
  std::vector<RoomId> names;
  for (const auto& [name, known] : rooms_) names.push_back(name);
  return names;
}

// Running a room's script.

Task<Outcome<Reply>> WaitingRoomStore::RunForMany(const Script* script, RoomId room,
                                                  std::vector<UserId> users, ScriptWords words, Time now) {
  for (int errand = 0; errand < kErrands; ++errand) {
    auto arguments = KeysOf(room).Arguments(users);
    arguments.Arg(ToMillis(now)).Arg(options_.pause_after.count());
    for (const auto& word : words) arguments.Arg(word);
    auto reply = co_await client_.Eval(*script, std::move(arguments));
    if (!reply) {
      if (reply.error().kind == RedisError::Kind::kRefused)
        LogError("redis: room {}: {}", room, reply.error().text);
      co_return Unavailable();
    }
    switch (static_cast<RoomCode>(reply->At(0).AsInteger())) {
      case RoomCode::kNoRoom: {
        // Known, and gone: Redis has lost its memory.
        auto remembered = co_await RememberedRoom(room);
        if (!remembered && room != kMainRoom) co_return Refused{Refusal::kRoomNotFound, room};
        auto created = co_await Create(room, now);
        if (!created.ok()) co_return created.error();
        break;
      }
      case RoomCode::kGoneBack: {
        auto recovered = co_await Recover(room, now);
        if (!recovered.ok()) co_return recovered.error();
        break;
      }
      case RoomCode::kPhaseDue: {
        auto stepped = co_await StepPhases(room, now);
        if (!stepped.ok()) co_return stepped.error();
        break;
      }
      default:
        co_return std::move(*reply);
    }
  }
  co_return Unavailable();
}

Task<Outcome<WaitingRoomStore::KnownPtr>> WaitingRoomStore::Refresh(RoomId room, Time now) {
  auto reply = co_await Run(&RoomScripts::Get().read, room, UserId(), ScriptWords(), now);
  if (!reply.ok()) co_return reply.error();
  auto record = ReadRecord(room, *reply);
  if (!record) co_return Unavailable();
  Remember(std::move(*record));
  co_return Find(room);
}

Task<Outcome<WaitingRoomStore::KnownPtr>> WaitingRoomStore::Knowing(RoomId room, Time now,
                                                                    std::optional<std::int64_t> version) {
  auto known = Find(room);
  if (known && (!version || known->version == *version)) co_return known;
  auto refreshed = co_await Refresh(std::move(room), now);
  co_return refreshed;
}

// Also after a loss: with what the node or the database remembers, to be recovered by whoever comes next.
Task<Outcome<Done>> WaitingRoomStore::Create(RoomId room, Time now) {
  auto beginning = co_await RememberedRoom(room);
  if (!beginning) {
    beginning.emplace();
    beginning->settings = DefaultSettings(room);
    beginning->epoch = EpochOf(now);
  }
  auto arguments = KeysOf(room).Arguments("");
  arguments.Arg(ToMillis(now)).Arg(0).Arg(beginning->draws.size());
  for (const auto& draw : beginning->draws) arguments.Arg(DrawText(draw));
  for (const auto& [name, value] : NewRoomFields(*beginning)) arguments.Arg(name).Arg(value);
  auto created = co_await client_.Eval(RoomScripts::Get().create, std::move(arguments));
  if (!created) co_return Unavailable();
  auto listed = co_await client_.Call(Command("SADD").Key(kRoomsKey).Word(room));
  if (!listed) co_return Unavailable();
  co_return Done{};
}

Task<Outcome<Done>> WaitingRoomStore::EnsureRoom(RoomId room, Time now) {
  auto created = co_await Create(room, now);
  if (!created.ok()) co_return created.error();
  auto known = co_await Refresh(room, now);
  if (!known.ok()) co_return known.error();
  co_return Done{};
}

// Fans.

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Answer(RoomId room, Reply reply, Time now) {
  const auto code = reply.At(0).AsInteger();
  switch (static_cast<RoomCode>(code)) {
    case RoomCode::kNotQueued:
    case RoomCode::kLost:
      co_return Refusal::kNotQueued;
    case RoomCode::kNotYourTurn:
      co_return Refusal::kNotYourTurn;
    case RoomCode::kClosed:
      co_return Refusal::kRoomClosed;
    case RoomCode::kNotOpen:
      co_return Refusal::kNotOpen;
    case RoomCode::kTooMany:
      co_return Refused{Refusal::kTooManyRequests, "joins from this address"};
    default:
      break;
  }
  const auto found = co_await Knowing(room, now, reply.At(7).AsInteger());
  if (!found.ok()) co_return found.error();
  const auto& known = *found;
  PlaceAnswer answer;
  auto& standing = answer.standing;
  standing.status = static_cast<PlaceStatus>(code);
  standing.number = static_cast<PlaceNumber>(reply.At(1).AsInteger());
  answer.epoch = static_cast<std::uint32_t>(reply.At(8).AsInteger());
  known->witness->Saw(standing.number);
  known->witness->Saw(answer.epoch, static_cast<std::uint32_t>(reply.At(11).AsInteger()));
  standing.poll_after = Millis{reply.At(3).AsInteger()};
  standing.poll_interval = standing.poll_after;
  if (standing.status == PlaceStatus::kEntered) {
    standing.rank = 0;
  } else if (reply.At(2).AsInteger() >= 0) {
    const auto rank = static_cast<std::uint32_t>(reply.At(2).AsInteger());
    standing.rank = Steady(*known, answer, rank, reply.At(12).AsInteger(), now);
  }
  if (reply.At(4).AsInteger() > 0) standing.ends_at = TimeFromMillis(reply.At(4).AsInteger());
  standing.entered_at = TimeFromMillis(reply.At(5).AsInteger());
  standing.session_ends_at = TimeFromMillis(reply.At(6).AsInteger());
  answer.first = reply.At(9).AsInteger() == 1;
  Complete(*known, answer, now);
  co_return answer;
}

// A place that came back with older data may have been used since: then it is none.
Task<Outcome<PlaceAnswer>> WaitingRoomStore::Join(JoinRequest request, Time now) {
  auto answer = co_await JoinOnce(&request, now);
  if (!answer.ok() || answer->first || !Settling(request.room, now)) co_return answer;
  SignOfLife sign{.place = {request.room, request.user}, .answer = std::move(answer)};
  co_await checks_.Send(&sign, now);
  if (sign.answer.ok() || sign.answer.error() != Refusal::kNotQueued) co_return std::move(sign.answer);
  answer = co_await JoinOnce(&request, now);
  co_return answer;
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::JoinOnce(const JoinRequest* request, Time now) {
  const auto corner = AddressPrefix(request->address);
  SignOfLife sign{PlaceRef{request->room, request->user},
                  corner == 0 ? SignOfLife::Join::kYes : SignOfLife::Join::kFromLimitedAddress};
  co_await polls_.Send(&sign, now);
  if (!sign.alone) co_return std::move(sign.answer);
  ScriptWords words = {request->user, std::to_string(corner)};
  for (auto& word : Happened(request->room)) words.push_back(std::move(word));
  auto reply = co_await Run(&RoomScripts::Get().join, request->room, request->user, std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  const bool inside_first = reply->At(10).AsInteger() == 1;
  auto answer = co_await Answer(request->room, std::move(*reply), now);
  if (!answer.ok()) co_return answer;
  const PlaceRef place{request->room, request->user};
  ShowMain({{place.room, place.user, answer->standing.number, answer->epoch}});
  if (inside_first) {
    auto recorded = co_await RecordAdmission(place, *answer, now);
    if (!recorded.ok()) co_return recorded.error();
  }
  co_return answer;
}

// A place that was lost is put back first.
Task<Outcome<Reply>> WaitingRoomStore::RunForToken(const Script* script, PlaceRef place, ScriptWords more,
                                                   Time now) {
  if (const auto known = Find(place.room)) Believe(*known, place);
  ScriptWords words = {place.user, std::to_string(place.number), std::to_string(place.epoch)};
  for (auto& word : more) words.push_back(std::move(word));
  for (auto& word : Happened(place.room)) words.push_back(std::move(word));
  auto reply = co_await Run(script, place.room, place.user, words, now);
  if (!reply.ok() || reply->At(0).AsInteger() != static_cast<std::int64_t>(RoomCode::kLost)) co_return reply;
  std::vector<PlaceRef> lost(1, place);
  auto back = co_await PutBack(place.room, std::move(lost), now);
  if (!back.ok()) co_return back.error();
  if (*back == 0) co_return Refusal::kNotQueued;
  reply = co_await Run(script, place.room, place.user, std::move(words), now);
  co_return reply;
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::RunForPlace(const Script* script, PlaceRef place, Time now) {
  auto reply = co_await RunForToken(script, place, ScriptWords(), now);
  if (!reply.ok()) co_return reply.error();
  const bool inside_first = reply->At(10).AsInteger() == 1;
  auto answer = co_await Answer(place.room, std::move(*reply), now);
  if (!answer.ok()) co_return answer;
  if (inside_first) ShowMain({{place.room, place.user, answer->standing.number, answer->epoch}});
  // Who asks to enter once more may be one whose first admission was not written down.
  const bool entering = script == &RoomScripts::Get().enter;
  if (inside_first || entering) {
    auto recorded = co_await RecordAdmission(place, *answer, now);
    if (!recorded.ok()) co_return recorded.error();
  }
  co_return answer;
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::PollAtOnce(const PlaceView&, Time) { return {}; }
std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::LookAtOnce(const PlaceView&, Time) { return {}; }
std::optional<Outcome<Serving>> WaitingRoomStore::ServingAtOnce(std::string_view, Time) { return {}; }

// Asked with every request of a customer, and of a shop behind the gate: who is plainly inside needs the room's rules as little as
// its lists, and those are most of what a script costs.
Task<Outcome<std::optional<PlaceAnswer>>> WaitingRoomStore::LookInside(PlaceRef place, Time now) {
  std::optional<PlaceAnswer> inside;
  const auto known_before = Find(place.room);
  if (!known_before) co_return inside;
  Believe(*known_before, place);
  auto arguments = KeysOf(place.room).InsideArguments(place.user, place.number);
  for (const auto& word : Happened(place.room)) arguments.Arg(word);
  auto reply = co_await client_.Eval(RoomScripts::Get().inside, std::move(arguments));
  if (!reply) co_return Unavailable();
  if (reply->elements.empty()) co_return inside;
  const auto time = [&](std::size_t at) { return TimeFromMillis(reply->At(at).AsInteger()); };
  auto found = co_await Knowing(place.room, now, reply->At(4).AsInteger());
  if (!found.ok()) co_return found.error();
  const auto& known = **found;
  auto& answer = inside.emplace();
  answer.epoch = static_cast<std::uint32_t>(reply->At(5).AsInteger());
  known.witness->Saw(answer.epoch, static_cast<std::uint32_t>(reply->At(6).AsInteger()));
  answer.standing =
      StandingInside(static_cast<PlaceNumber>(reply->At(0).AsInteger()), time(2), std::max(time(1), time(3)),
                     known.info.serving.state, known.info.settings, now);
  Complete(known, answer, now);
  co_return inside;
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::CheckInside(PlaceRef place, Time now) {
  SignOfLife sign{std::move(place)};
  auto& answer = sign.answer;
  auto inside = co_await LookInside(sign.place, now);
  if (inside.ok() && *inside) answer = std::move(**inside);
  if (inside.ok() && !*inside) answer = co_await RunForPlace(&RoomScripts::Get().look, sign.place, now);
  if (sign.Unanswered()) {
    SignsOfLife only(1, &sign);
    co_await TellWithoutRedis(sign.place.room, std::move(only), now);
  }
  if (!answer.ok()) co_return answer;
  if (answer->standing.status != PlaceStatus::kEntered) co_return Refusal::kNotYourTurn;
  if (now >= *answer->standing.ends_at) co_return Refusal::kNotQueued;
  co_return answer;
}

// The fan's own leave (it names the number) may be a moment older than the fan's last sign of life, which overtook it; but a
// fan who was heard of long after it had gone on without waiting for the answer.
Task<Outcome<bool>> WaitingRoomStore::End(PlaceRef place, bool only_inside, Time now) {
  const ScriptWords words = {only_inside ? "1" : "0"};
  auto reply = co_await RunForToken(&RoomScripts::Get().end, place, words, now);
  for (int errand = 0; errand < kErrands; ++errand) {
    if (!reply.ok() || reply->At(0).AsInteger() != static_cast<std::int64_t>(RoomCode::kAgain)) break;
    const auto seen = TimeFromMillis(reply->At(1).AsInteger());
    if (place.number != 0 && seen - now > kOneMoment) co_return Unavailable();
    reply = co_await RunForToken(&RoomScripts::Get().end, place, words, seen);
  }
  if (!reply.ok() && reply.error() == Refusal::kNotQueued) co_return false;
  if (!reply.ok()) co_return reply.error();
  if (reply->At(2).AsInteger() == 1) {
    co_await RecordEnd(std::move(place), static_cast<PlaceNumber>(reply->At(1).AsInteger()), now);
  }
  co_return reply->At(0).AsInteger() == 1;
}

Task<Outcome<Done>> WaitingRoomStore::Leave(PlaceRef place, Time now) {
  auto ended = co_await End(std::move(place), false, now);
  if (!ended.ok()) co_return ended.error();
  co_return Done{};
}

Task<Outcome<Done>> WaitingRoomStore::ReleaseAfterPayment(RoomId room, UserId user, Time now) {
  auto known = co_await Knowing(room, now);
  if (!known.ok()) co_return known.error();
  // Another node's newer setting reaches this one within a second.
  if (!(*known)->info.settings.release_on_payment) co_return Done{};
  PlaceRef place{room, user};
  auto ended = co_await End(std::move(place), true, now);
  if (!ended.ok()) co_return ended.error();
  co_return Done{};
}

Task<Outcome<Done>> WaitingRoomStore::Revoke(RoomId room, UserId user, std::string actor, Time now) {
  PlaceRef place{room, user};
  auto ended = co_await End(std::move(place), false, now);
  if (!ended.ok()) co_return ended.error();
  if (!*ended) co_return Refusal::kNotQueued;
  if (options_.audit) options_.audit(now, actor, "room.revoke", room, "");
  co_return Done{};
}

}  // namespace maejin::redis
