#include "adapters/redis/waiting_room/fans.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/compile.h>

#include "adapters/redis/waiting_room/room_scripts.h"

namespace maejin::redis {
namespace {

constexpr int kMostEnds = 6;
// The maximum difference between the nodes' clocks, and the longest time by which one call of a fan overtakes
// another.
constexpr Millis kClockSkew{1000};

// A request as room_ask.lua and room_enter.lua read it. A place of this `epoch` is named without it.
std::string RequestWord(const FanRequest& request, std::uint32_t epoch) {
  const auto& place = request.place;
  if (request.verb == FanRequest::Verb::kJoin) return fmt::format(FMT_COMPILE("j{}"), request.address_prefix);
  std::string word;
  if (request.verb == FanRequest::Verb::kPoll) word = "p";
  if (request.verb == FanRequest::Verb::kLook) word = "l";
  const auto end = std::back_inserter(word);
  fmt::format_to(end, FMT_COMPILE("{}"), place.number);
  if (place.epoch != epoch) fmt::format_to(end, FMT_COMPILE(":{}"), place.epoch);
  return word;
}

// The own arguments of these scripts: the epoch of requests that name none, all users, then all requests.
ScriptWords WordsOf(const FanRequests& requests) {
  std::uint32_t epoch = 0;
  for (const auto* request : requests) epoch = std::max(epoch, request->place.epoch);
  ScriptWords words;
  words.reserve(1 + 2 * requests.size());
  words.push_back(std::to_string(epoch));
  for (const auto* request : requests) words.push_back(request->place.user);
  for (const auto* request : requests) words.push_back(RequestWord(*request, epoch));
  return words;
}

// The order that room_enter.lua expects, so that it logs entries of neighbours as one change. Requests
// without a number come first, in the order of their arrival.
FanRequests ByNumber(const FanRequests& requests) {
  const auto number_of = [](const FanRequest* request) { return request->place.number; };
  FanRequests ordered;
  FanRequests numbered;
  for (auto* request : requests) (number_of(request) == 0 ? ordered : numbered).push_back(request);
  std::ranges::sort(numbered, {}, number_of);
  ordered.insert(ordered.end(), numbered.begin(), numbered.end());
  return ordered;
}

AdmissionRecord AdmissionOf(const PlaceRef& place, const PlaceAnswer& answer) {
  const auto& standing = answer.standing;
  return {place.room,   place.user,          standing.number,
          answer.epoch, standing.entered_at, standing.session_ends_at};
}

std::string LetterOf(Ending ending) { return std::string(1, "LPXAR"[static_cast<std::size_t>(ending)]); }

}  // namespace

Fans::Fans(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder,
           Recovery& recovery, Millis window, TokenOf token_of)
    : client_(client),
      rooms_(rooms),
      runner_(runner),
      recorder_(recorder),
      recovery_(recovery),
      token_of_(std::move(token_of)),
      asks_(std::bind_front(&Fans::RunAsk, this), window),
      enters_(std::bind_front(&Fans::RunEnter, this), window),
      restores_(std::bind_front(&Fans::RunRestore, this), window),
      checks_(std::bind_front(&Fans::RunCheck, this), window) {}

// Not a coroutine: each waiting request would need one more coroutine frame.
Task<void> Fans::Send(FanRequest* request, Time now) {
  auto& batches = request->verb == FanRequest::Verb::kEnter ? enters_ : asks_;
  return batches.Send(request, now);
}

Task<void> Fans::Restore(FanRequest* request, Time now) {
  co_await restores_.Send(request, now);
  if (std::exchange(request->is_lost, false)) co_await Send(request, now);
}

Task<void> Fans::CheckUnused(FanRequest* request, Time now) { return checks_.Send(request, now); }

// Reads an unknown room first, and then raises its known epoch and number to those of the fans' tokens.
Task<Outcome<Room*>> Fans::LearnFromTokens(RoomId name, FanRequests requests, Time now) {
  auto room = co_await runner_.ReadIfUnknown(std::move(name), now);
  if (!room.ok()) co_return room;
  PlaceNumber highest = 0;
  std::uint32_t epoch = 0;
  for (const auto* request : requests) {
    highest = std::max(highest, request->place.number);
    epoch = std::max(epoch, request->place.epoch);
  }
  (*room)->LearnFromToken(highest, epoch);
  co_return room;
}

Task<Fans::Entered> Fans::Answer(Room* room, FanRequests requests, std::vector<FanReply> fans, Time now) {
  Entered entered;
  std::vector<RoomKeys::Shown> unshown;
  const bool is_settling = room->IsSettling(now);
  for (std::size_t i = 0; i < std::min(requests.size(), fans.size()); ++i) {
    auto& request = *requests[i];
    auto& fan = fans[i];
    if (fan.number == 0) fan.number = request.place.number;
    request.is_lost = fan.Is(RoomCode::kLost);
    request.is_settling = is_settling;
    if (const auto refused = fan.refusal()) {
      const bool limited = fan.Is(RoomCode::kTooMany);
      request.answer = limited ? TooManyJoins(room->info().settings) : *refused;
      continue;
    }
    request.answer = room->AnswerOf(fan, request.verb == FanRequest::Verb::kPoll, now);
    const auto& answer = *request.answer;
    // A fan repeats an enter when the record of the first one failed: record it again.
    const bool enters = request.verb == FanRequest::Verb::kEnter;
    if (fan.entered_now || enters) {
      entered.records.push_back(AdmissionOf(request.place, answer));
      entered.requests.push_back(&request);
    }
    if (!token_of_ || request.place.room != kMainRoom) continue;
    const bool joins = request.verb == FanRequest::Verb::kJoin;
    if (!fan.is_unshown && !joins) continue;
    const auto epoch = joins || request.place.number == 0 ? answer.epoch : request.place.epoch;
    unshown.push_back({request.place.user, fan.number,
                       token_of_({request.place.room, request.place.user, fan.number, epoch})});
  }
  // Other programs can read the token in Redis before the fan gets it.
  if (!unshown.empty()) {
    auto arguments = runner_.KeysOf(kMainRoom).ShowArguments(unshown, now);
    const auto shown = co_await client_.Eval(RoomScripts::Get().show, std::move(arguments));
    if (!shown) RefuseAll(requests, Refusal::kUnavailable);
  }
  co_return entered;
}

Task<void> Fans::RunAsk(RoomId name, FanRequests requests, Time now) {
  auto room = co_await LearnFromTokens(name, requests, now);
  Outcome<Reply> reply = Refusal::kUnavailable;
  if (room.ok()) {
    auto words = WordsOf(requests);
    reply = co_await runner_.Run(&RoomScripts::Get().ask, name, std::move(words), now);
  } else {
    reply = room.error();
  }
  if (!reply.ok()) {
    RefuseAll(requests, reply.error());
    co_await AnswerAway(std::move(name), std::move(requests), now);
    co_return;
  }
  auto fans = DecodeFans(*reply);
  auto entered = co_await Answer(*room, std::move(requests), std::move(fans), now);
  if (entered.records.empty()) co_return;
  AdmissionRecorder::Entries entries{std::move(entered.records)};
  const auto recorded = co_await recorder_.Record(std::move(name), std::move(entries), now);
  // An admission without a record in the database must not be acknowledged.
  if (!recorded.ok()) RefuseAll(entered.requests, recorded.error());
}

Task<void> Fans::RunEnter(RoomId name, FanRequests requests, Time now) {
  auto room = co_await LearnFromTokens(name, requests, now);
  if (!room.ok()) co_return RefuseAll(requests, room.error());
  requests = ByNumber(requests);
  auto words = WordsOf(requests);
  auto reply = co_await runner_.Run(&RoomScripts::Get().enter, name, std::move(words), now);
  if (!reply.ok()) co_return RefuseAll(requests, reply.error());
  auto decoded = DecodeEnter(*reply);
  auto entered = co_await Answer(*room, std::move(requests), std::move(decoded.fans), now);
  if (entered.records.empty()) co_return;
  AdmissionRecorder::Entries entries{std::move(entered.records), std::move(decoded.log_entry),
                                     decoded.has_behind};
  const auto recorded = co_await recorder_.Record(std::move(name), std::move(entries), now);
  if (!recorded.ok()) RefuseAll(entered.requests, recorded.error());
}

Task<void> Fans::RunRestore(RoomId name, FanRequests requests, Time now) {
  std::vector<PlaceRef> places;
  for (const auto* request : requests) places.push_back(request->place);
  auto there = co_await recovery_.PutBack(name, std::move(places), now);
  for (auto* request : requests) request->is_lost = there.ok() && *there > 0;
  if (there.ok()) co_return RefuseAll(requests, Refusal::kNotQueued);
  RefuseAll(requests, there.error());
  co_await AnswerAway(std::move(name), std::move(requests), now);
}

Task<void> Fans::RunCheck(RoomId name, FanRequests requests, Time now) {
  std::vector<PlaceNumber> numbers;
  for (const auto* request : requests) numbers.push_back(request->answer->standing.number);
  auto admissions = co_await recorder_.Find(name, std::move(numbers));
  if (!admissions.ok()) co_return RefuseAll(requests, admissions.error());
  for (auto* request : requests) {
    const auto number = request->answer->standing.number;
    const auto* admission = AdmissionRecorder::AdmissionOf(*admissions, request->place.user, number);
    if (admission == nullptr || !AdmissionRecorder::IsUsed(*admission, now)) continue;
    PlaceRef place{name, request->place.user, number, request->answer->epoch};
    std::ignore = co_await End(std::move(place), Ending::kLeft, false, now);
    request->answer = Refusal::kNotQueued;
  }
}

// One database read for all fans that are not waiting in the mirror: they may be inside.
Task<void> Fans::AnswerAway(RoomId name, FanRequests requests, Time now) {
  auto* room = rooms_.Find(name);
  if (!room || !room->record()) co_return;
  std::erase_if(requests, [&](FanRequest* request) {
    const bool polls = request->verb == FanRequest::Verb::kPoll || request->verb == FanRequest::Verb::kLook;
    if (!request->IsUnavailable() || !polls || request->place.number == 0) return true;
    auto waits = room->Poll(request->place.view(), now, request->verb == FanRequest::Verb::kPoll);
    if (waits) request->answer = std::move(*waits);
    return waits.has_value();
  });
  if (requests.empty()) co_return;
  std::vector<PlaceNumber> numbers;
  for (const auto* request : requests) numbers.push_back(request->place.number);
  auto admissions = co_await recorder_.Find(std::move(name), std::move(numbers));
  if (!admissions.ok()) co_return RefuseAll(requests, admissions.error());
  for (auto* request : requests) {
    const auto& place = request->place;
    const auto* admission = AdmissionRecorder::AdmissionOf(*admissions, place.user, place.number);
    if (admission != nullptr && AdmissionRecorder::IsUsed(*admission, now)) {
      request->answer = Refusal::kNotQueued;
    } else {
      request->answer = room->AnswerAway(request->place, admission, now);
    }
  }
}

Task<Outcome<std::optional<PlaceAnswer>>> Fans::FindInside(PlaceRef place, Time now) {
  std::optional<PlaceAnswer> answer;
  auto* before = rooms_.Find(place.room);
  if (!before) co_return answer;
  before->LearnFromToken(place.number, place.epoch);
  const auto known = before->known();
  const auto keys = runner_.KeysOf(place.room);
  ScriptArguments arguments;
  arguments.Key(keys.Room()).Key(keys.Places()).Arg(place.user).Arg(place.number);
  arguments.Arg(known.epoch).Arg(known.changes).Arg(known.highest).AppendRunId();
  auto reply = co_await client_.Eval(RoomScripts::Get().inside, std::move(arguments));
  if (!reply) co_return Refusal::kUnavailable;
  const auto inside = DecodeInside(*reply);
  if (!inside) co_return answer;
  auto room = co_await runner_.ReadIfUnknown(place.room, now, inside->version);
  if (!room.ok()) co_return room.error();
  const auto record = (*room)->record();
  const auto& info = record->info;
  answer.emplace();
  answer->epoch = inside->epoch;
  answer->state = info.serving.state;
  answer->token_ttl = info.settings.token_ttl;
  answer->standing =
      StandingInside(inside->number, inside->entered_at, inside->seen_at, answer->state, info.settings, now);
  co_return answer;
}

// A leave with a number comes from the fan itself, and a poll may overtake it by up to kClockSkew. A poll
// later than that shows that the fan stayed.
Task<Outcome<bool>> Fans::End(PlaceRef place, Ending ending, bool only_inside, Time now) {
  if (auto* room = rooms_.Find(place.room)) room->LearnFromToken(place.number, place.epoch);
  const ScriptWords words = {place.user, std::to_string(place.number), std::to_string(place.epoch),
                             only_inside ? "1" : "0", LetterOf(ending)};
  auto asked_at = now;
  bool restored = false;
  for (int attempt = 0; attempt < kMostEnds; ++attempt) {
    const auto reply = co_await runner_.Run(&RoomScripts::Get().end, place.room, words, asked_at);
    if (!reply.ok()) co_return reply.error();
    const auto ended = DecodeEnd(*reply);
    if (ended.code == RoomCode::kLost && !std::exchange(restored, true)) {
      std::vector<PlaceRef> lost(1, place);
      const auto there = co_await recovery_.PutBack(place.room, std::move(lost), asked_at);
      if (!there.ok()) co_return there.error();
      if (*there > 0) continue;
    }
    if (ended.code != RoomCode::kAgain) {
      if (ended.was_inside) co_await recorder_.RecordEnd(std::move(place), ended.number, now);
      co_return ended.code == RoomCode::kOne;
    }
    if (place.number != 0 && ended.seen_at - now > kClockSkew) break;
    asked_at = ended.seen_at;
  }
  co_return Refusal::kUnavailable;
}

}  // namespace maejin::redis
