#include "adapters/embedded/waiting_room/waiting_room_store.h"

#include "base/log.h"

namespace maejin::embedded {

WaitingRoomStore::WaitingRoomStore(Connection& connection, Journal& journal, AuditLog& audit, Random& random,
                                   Time now, WaitingRoomStoreOptions options)
    : journal_(journal),
      database_(std::move(options.database)),
      rooms_(connection, journal, random, now),
      writer_(journal, audit),
      pauses_(journal, options.pause_after),
      fans_(rooms_, journal, writer_, pauses_),
      operators_(rooms_, journal, writer_, pauses_),
      sites_(connection, rooms_, journal, audit, now) {}

// Fans.

Task<Outcome<PlaceAnswer>> WaitingRoomStore::AnswerWhenCommitted(Outcome<Fans::Decision> decision) {
  if (!decision.ok()) co_return decision.error();
  const auto committed = co_await journal_.Committed(decision->ticket);
  if (!committed.ok()) co_return committed.error();
  co_return std::move(decision->answer);
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Join(JoinRequest request, Time now) {
  auto decision = fans_.Join(request, now);
  co_return co_await AnswerWhenCommitted(std::move(decision));
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::PollAtOnce(const PlaceView& place, Time now) {
  return fans_.Poll(place, now);
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::PeekAtOnce(const PlaceView& place, Time now) {
  return fans_.Peek(place, now);
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Poll(PlaceRef place, Time now) {
  while (true) {
    auto answer = fans_.Poll(place.view(), now);
    if (answer) co_return std::move(*answer);
    const auto committed = co_await journal_.Committed(fans_.NewestJoin(place.room));
    if (!committed.ok()) co_return committed.error();
  }
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Enter(PlaceRef place, Time now) {
  auto decision = fans_.Enter(place.view(), now);
  co_return co_await AnswerWhenCommitted(std::move(decision));
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::CheckInside(PlaceRef place, Time now) {
  auto decision = fans_.CheckInside(place.view(), now);
  co_return co_await AnswerWhenCommitted(std::move(decision));
}

Task<Outcome<Done>> WaitingRoomStore::Leave(PlaceRef place, Time now) {
  const auto decision = fans_.End(place.view(), Ending::kLeft, now);
  if (!decision.ok()) co_return decision.error();
  co_return co_await journal_.Committed(decision->ticket);
}

// Does not wait for the disk: the payment is on disk already, and if the end of the slot is lost, only the
// next fan waits longer.
Task<Outcome<Done>> WaitingRoomStore::ReleaseAfterPayment(RoomId room, UserId user, Time now) {
  const auto decision = fans_.End({room, user}, Ending::kPaid, now);
  if (!decision.ok()) co_return decision.error();
  co_return Done{};
}

// Operators.

Task<Outcome<RoomInfo>> WaitingRoomStore::AnswerWhenCommitted(Outcome<Operators::Decision> decision) {
  if (!decision.ok()) co_return decision.error();
  const auto committed = co_await journal_.Committed(decision->ticket);
  if (!committed.ok()) co_return committed.error();
  co_return std::move(decision->info);
}

Task<Outcome<Done>> WaitingRoomStore::Revoke(RevokeRequest request, Time now) {
  const auto subject = "room " + request.room;
  const AuditEntry audit{now, request.actor, "room.revoke", subject, request.masked_user};
  const auto decision = fans_.End({request.room, request.user}, Ending::kRevoked, now, &audit);
  if (!decision.ok()) co_return decision.error();
  if (!decision->ended) co_return Refusal::kNotQueued;
  co_return co_await journal_.Committed(decision->ticket);
}

Task<Outcome<RoomInfo>> WaitingRoomStore::Configure(RoomId room, RoomPatch patch, std::string actor,
                                                    Time now) {
  auto decision = operators_.Configure(room, patch, actor, now);
  co_return co_await AnswerWhenCommitted(std::move(decision));
}

void WaitingRoomStore::SetSeats(RoomId room, bool has_seats, Time now) {
  operators_.SetSeats(room, has_seats, now);
}

Task<Outcome<RoomInfo>> WaitingRoomStore::Read(RoomId room, Time now) {
  auto decision = operators_.Read(room, now);
  co_return co_await AnswerWhenCommitted(std::move(decision));
}

Task<Outcome<Serving>> WaitingRoomStore::ReadServing(RoomId room, Time now) {
  co_return operators_.ReadServing(room, now);
}

std::optional<Outcome<Serving>> WaitingRoomStore::ServingAtOnce(std::string_view room, Time now) {
  return operators_.ReadServing(room, now);
}

// Rooms.

Task<Outcome<Done>> WaitingRoomStore::EnsureRoom(RoomId name, Time, RoomState state) {
  const Room* room = rooms_.Find(name);
  if (!room && !journal_.Accepting()) co_return Refusal::kUnavailable;
  if (!room) room = &rooms_.FindOrCreate(name, state);
  co_return co_await journal_.Committed(room->created);
}

std::vector<RoomId> WaitingRoomStore::Rooms() const {
  std::vector<RoomId> names;
  for (const Room* room : rooms_.All()) names.push_back(room->name);
  return names;
}

std::vector<RoomStats> WaitingRoomStore::Stats() const {
  const auto rooms = rooms_.All();
  std::vector<RoomStats> all;
  all.reserve(rooms.size());
  for (Room* room : rooms) {
    const std::lock_guard lock(room->mutex);
    auto& stats = all.emplace_back(room->stats);
    stats.room = room->name;
    stats.serving = room->line.Summary();
    stats.no_shows += room->line.turns_passed();
  }
  return all;
}

// Reports are rare: the file is opened for each call.
Task<Outcome<RoomTally>> WaitingRoomStore::ReadTally(RoomId name, Time now) {
  const Room* room = rooms_.Find(name);
  if (!room) co_return Refused{Refusal::kRoomNotFound, name};
  const auto id = room->id;
  const auto info = operators_.Read(name, now);
  if (!info.ok()) co_return info.error();
  const auto committed = co_await journal_.Committed(journal_.Newest());
  if (!committed.ok()) co_return committed.error();
  try {
    Connection connection(database_, Connection::Mode::kReadOnly);
    auto tally = ReadTallyRows(connection, id);
    tally.arrivals = info->info.last_number;
    tally.waiting = info->info.serving.waiting;
    tally.inside = info->info.serving.entered;
    co_return tally;
  } catch (const SqliteError& error) {
    LogError("the counts of room {} cannot be read: {}", name, error.what());
  }
  co_return Refusal::kUnavailable;
}

void WaitingRoomStore::Tick(Time now) {
  pauses_.Observe(now);
  rooms_.FindDue(now, due_);
  for (Room* room : due_) operators_.Advance(*room, now);
}

}  // namespace maejin::embedded
