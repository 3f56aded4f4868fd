#include "adapters/redis/waiting_room/waiting_room_store.h"

#include "adapters/redis/waiting_room/room_scripts.h"
#include "base/ids.h"
#include "base/numbers.h"
#include "domain/waiting_room/join_limit.h"

namespace maejin::redis {

WaitingRoomStore::WaitingRoomStore(Client& client, Random& random, AdmissionLog& log,
                                   WaitingRoomStoreOptions options)
    : options_(std::move(options)),
      client_(client),
      runner_(client, rooms_, Id128::Random(random).ToString(), options_.pause_after),
      recorder_(client, rooms_, runner_, log),
      recovery_(client, rooms_, runner_, recorder_, log, options_.hold_after_loss),
      fans_(client, rooms_, runner_, recorder_, recovery_, options_.batch_window, options_.token_of),
      operators_(runner_, random, recovery_, log),
      sites_(client, rooms_, runner_, recovery_, log, options_.audit),
      ticker_(client, rooms_, runner_, recorder_, recovery_, options_.seats_left) {
  runner_.set_steps({[this](RoomId room, Time now) -> Task<Outcome<Done>> {
                       const auto created = co_await recovery_.Create(std::move(room), now);
                       co_return WithoutValue(created);
                     },
                     [this](RoomId room, Time now) { return recovery_.Recover(std::move(room), now); },
                     [this](RoomId room, Time now) -> Task<Outcome<Done>> {
                       const auto read = co_await operators_.Read(std::move(room), now);
                       co_return WithoutValue(read);
                     }});
}

Task<Outcome<Done>> WaitingRoomStore::EnsureRoom(RoomId room, Time now, RoomState state) {
  Recovery::NewRoom fresh{DefaultSettings(room), state};
  const auto created = co_await recovery_.Create(room, now, std::move(fresh));
  if (!created.ok()) co_return created.error();
  auto read = co_await runner_.Read(std::move(room), now);
  co_return WithoutValue(read);
}

// Redis may have restarted with data from before the place was used. The used place then ends, and the fan
// gets a new one.
Task<Outcome<PlaceAnswer>> WaitingRoomStore::Join(JoinRequest join, Time now) {
  FanRequest request{.place = {join.room, join.user}, .verb = FanRequest::Verb::kJoin};
  request.address_prefix = AddressPrefix(join.address);
  co_await fans_.Send(&request, now);
  if (request.is_lost) co_await fans_.Restore(&request, now);
  if (!request.answer.ok() || request.answer->first || !request.is_settling)
    co_return std::move(request.answer);
  co_await fans_.CheckUnused(&request, now);
  if (request.answer.ok() || request.answer.error() != Refusal::kNotQueued)
    co_return std::move(request.answer);
  co_await fans_.Send(&request, now);
  if (request.is_lost) co_await fans_.Restore(&request, now);
  co_return std::move(request.answer);
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Poll(PlaceRef place, Time now) {
  if (auto answer = PollAtOnce(place.view(), now)) co_return std::move(*answer);
  FanRequest request{.place = std::move(place)};
  co_await fans_.Send(&request, now);
  if (request.is_lost) co_await fans_.Restore(&request, now);
  co_return std::move(request.answer);
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::PollAtOnce(const PlaceView& place, Time now) {
  return AnswerHere(place, now, true);
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::PeekAtOnce(const PlaceView& place, Time now) {
  return AnswerHere(place, now, false);
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::AnswerHere(const PlaceView& place, Time now,
                                                                 bool is_sign) {
  auto* room = rooms_.Find(place.room);
  auto answer = room ? room->Poll(place, now, is_sign) : std::nullopt;
  if (!answer) return {};
  return Outcome<PlaceAnswer>(std::move(*answer));
}

// An enter is refused while the database cannot record the admission.
Task<Outcome<PlaceAnswer>> WaitingRoomStore::Enter(PlaceRef place, Time now) {
  if (!recorder_.IsAnswering()) co_return Refusal::kUnavailable;
  FanRequest request{.place = std::move(place), .verb = FanRequest::Verb::kEnter};
  co_await fans_.Send(&request, now);
  if (request.is_lost) co_await fans_.Restore(&request, now);
  if (request.answer.ok() && request.is_settling) co_await fans_.CheckUnused(&request, now);
  co_return std::move(request.answer);
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::CheckInside(PlaceRef place, Time now) {
  auto inside = co_await fans_.FindInside(place, now);
  FanRequest request{.place = std::move(place), .verb = FanRequest::Verb::kLook};
  auto& answer = request.answer;
  if (inside.ok() && *inside) {
    answer = std::move(**inside);
  } else {
    co_await fans_.Send(&request, now);
    if (request.is_lost) co_await fans_.Restore(&request, now);
  }
  if (!answer.ok()) co_return std::move(answer);
  if (answer->standing.status != PlaceStatus::kEntered) co_return Refusal::kNotYourTurn;
  if (now >= *answer->standing.ends_at) co_return Refusal::kNotQueued;
  co_return std::move(answer);
}

Task<Outcome<Done>> WaitingRoomStore::Leave(PlaceRef place, Time now) {
  auto ended = co_await fans_.End(std::move(place), Ending::kLeft, false, now);
  co_return WithoutValue(ended);
}

Task<Outcome<Done>> WaitingRoomStore::RecordAdmissions(RoomId room, Time now) {
  AdmissionRecorder::Entries whole_log{.with_newest = true};
  auto recorded = co_await recorder_.Record(std::move(room), std::move(whole_log), now);
  co_return recorded;
}

Task<Outcome<Done>> WaitingRoomStore::ReleaseAfterPayment(RoomId name, UserId user, Time now) {
  auto room = co_await runner_.ReadIfUnknown(name, now);
  if (!room.ok()) co_return room.error();
  // A setting that another node has changed reaches this node within a second.
  if (!(*room)->record()->info.settings.release_on_payment) co_return Done{};
  PlaceRef place{std::move(name), std::move(user)};
  auto ended = co_await fans_.End(std::move(place), Ending::kPaid, true, now);
  co_return WithoutValue(ended);
}

Task<Outcome<Done>> WaitingRoomStore::Revoke(RevokeRequest request, Time now) {
  PlaceRef place{request.room, std::move(request.user)};
  auto ended = co_await fans_.End(std::move(place), Ending::kRevoked, false, now);
  if (!ended.ok()) co_return ended.error();
  if (!*ended) co_return Refusal::kNotQueued;
  if (options_.audit) options_.audit(now, request.actor, "room.revoke", request.room, request.masked_user);
  co_return Done{};
}

Task<Outcome<RoomInfo>> WaitingRoomStore::Configure(RoomId room, RoomPatch patch, std::string actor,
                                                    Time now) {
  const auto detail = Describe(patch);
  const bool audited = IsOperators(patch);
  auto configured = co_await operators_.Configure(room, std::move(patch), now);
  if (!configured.ok()) co_return configured.error();
  if (options_.audit && audited) options_.audit(now, actor, "room.configure", room, detail);
  co_return (*configured)->info();
}

void WaitingRoomStore::SetSeats(RoomId room, bool has_seats, Time) {
  ScriptArguments arguments;
  arguments.Key(runner_.KeysOf(room).Room()).Arg(has_seats ? 1 : 0);
  client_.SendEval(RoomScripts::Get().seats, std::move(arguments));
}

Task<Outcome<RoomInfo>> WaitingRoomStore::Read(RoomId room, Time now) {
  auto read = co_await operators_.Read(std::move(room), now);
  if (!read.ok()) co_return read.error();
  co_return (*read)->info();
}

Task<Outcome<Serving>> WaitingRoomStore::ReadServing(RoomId name, Time now) {
  const auto ticked = co_await runner_.Tick(name, now);
  if (!ticked.ok()) co_return ticked.error();
  const auto* room = rooms_.Find(name);
  if (!room) co_return Refused{Refusal::kRoomNotFound, name};
  co_return room->info().serving;
}

std::optional<Outcome<Serving>> WaitingRoomStore::ServingAtOnce(std::string_view name, Time now) {
  auto* room = rooms_.Find(name);
  const auto serving = room ? room->ServingNow(now) : std::nullopt;
  if (!serving) return {};
  return Outcome<Serving>(*serving);
}

std::vector<RoomId> WaitingRoomStore::Rooms() const {
  std::vector<RoomId> names;
  for (const auto* room : rooms_.All()) names.push_back(room->name());
  return names;
}

// `from`: how many numbers were given before the first counted arrival. `lost`: Redis lost a part of the
// counts.
Task<Outcome<RoomTally>> WaitingRoomStore::ReadTally(RoomId name, Time now) {
  auto room = co_await operators_.Read(name, now);
  if (!room.ok()) co_return room.error();
  const auto info = (*room)->info();
  Command command("HGETALL");
  command.Key(runner_.KeysOf(name).Tally());
  const auto reply = co_await client_.Call(std::move(command));
  if (!reply) co_return Refusal::kUnavailable;
  RoomTally tally;
  tally.complete = info.last_number == 0 || !reply->elements.empty();
  tally.waiting = info.serving.waiting;
  tally.inside = info.serving.entered;
  constexpr std::string_view kWaited = "waited:";
  for (std::size_t i = 0; i + 1 < reply->elements.size(); i += 2) {
    const std::string_view field = reply->At(i).text;
    const auto count = reply->At(i + 1).AsInteger();
    if (field == "arrivals") tally.arrivals = count;
    if (field == "no_shows") tally.no_shows = count;
    if (field == "from" || field == "lost") tally.complete = tally.complete && count == 0;
    if (!field.starts_with(kWaited)) continue;
    tally.waits[ParseInt<std::int64_t>(field.substr(kWaited.size())).value_or(0)] += count;
    tally.admissions += count;
  }
  co_return tally;
}

std::vector<RoomStats> WaitingRoomStore::Stats() const {
  std::vector<RoomStats> all;
  for (const auto* room : rooms_.All()) all.push_back(room->stats());
  return all;
}

}  // namespace maejin::redis
