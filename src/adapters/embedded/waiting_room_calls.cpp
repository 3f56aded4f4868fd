// The transitions of the port: decide under the room's lock, wait for the disk outside it, answer.
#include <algorithm>

#include <fmt/format.h>

#include "adapters/embedded/waiting_room_room.h"

namespace maejin::embedded {

Outcome<WaitingRoomStore::Decided> WaitingRoomStore::DecideJoin(const JoinRequest& request, Time now) {
  Room* room = Find(request.room);
  if (!room) return Refused{Refusal::kRoomNotFound, request.room};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const auto user = KeyOf(request.user);
  const std::lock_guard lock(room->mutex);
  Arrive(*room, now);
  if (!MayJoin(*room, user, request.address, now)) {
    Refused refused(Refusal::kTooManyRequests, "joins from this address");
    refused.retry_after_seconds = 60 / *room->line.settings().joins_per_address_per_minute + 1;
    return refused;
  }
  const auto joined = room->line.Join(user, now);
  const auto written = Write(*room, request.user);
  if (!joined.ok()) return joined.error();
  Decided decided{written, Answer(*room, joined->standing)};
  decided.answer.first = joined->first;
  if (joined->first) return decided;
  // Somebody else's request may have made the place a moment ago.
  decided.ticket = std::max(room->joined, PendingEntry(*room, joined->standing.number));
  return decided;
}

// Who has a place already takes none.
bool WaitingRoomStore::MayJoin(Room& room, const UserKey& user, std::string_view address, Time now) {
  const auto limit = room.line.settings().joins_per_address_per_minute;
  const auto prefix = limit ? AddressPrefix(address) : 0;
  if (prefix == 0 || room.line.Find(user) != 0) return true;
  if (!room.joins) room.joins = std::make_unique<JoinLimit>();
  return room.joins->Take(prefix, *limit, now);
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Join(JoinRequest request, Time now) {
  auto decided = DecideJoin(request, now);
  if (!decided.ok()) co_return decided.error();
  const auto committed = co_await journal_.Committed(decided->ticket);
  if (!committed.ok()) co_return committed.error();
  co_return std::move(decided->answer);
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::PollAtOnce(const PlaceView& place, Time now) {
  Room* room = Find(place.room);
  if (!room) return Outcome<PlaceAnswer>(Refused{Refusal::kRoomNotFound, std::string(place.room)});
  const auto user = KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  Arrive(*room, now);
  // A place that is not on disk yet has no token; by the user's name it could be told too early.
  if (place.number == 0 && !journal_.IsCommitted(room->joined)) return {};
  ++room->stats.polls;
  const auto number = NumberOf(*room, place, user);
  auto standing =
      journal_.Accepting() ? room->line.Poll(number, user, now) : room->line.Look(number, user, now);
  Write(*room);
  if (!standing.ok()) return Outcome<PlaceAnswer>(standing.error());
  HideUncommitted(*room, *standing);
  return Outcome<PlaceAnswer>(Answer(*room, *standing));
}

std::optional<Outcome<PlaceAnswer>> WaitingRoomStore::LookAtOnce(const PlaceView& place, Time now) {
  Room* room = Find(place.room);
  if (!room) return Outcome<PlaceAnswer>(Refused{Refusal::kRoomNotFound, std::string(place.room)});
  const auto user = KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  if (place.number == 0 && !journal_.IsCommitted(room->joined)) return {};
  auto standing = room->line.Look(NumberOf(*room, place, user), user, now);
  if (!standing.ok()) return Outcome<PlaceAnswer>(standing.error());
  HideUncommitted(*room, *standing);
  return Outcome<PlaceAnswer>(Answer(*room, *standing));
}

Ticket WaitingRoomStore::PendingJoin(std::string_view name) const {
  Room* room = Find(name);
  if (!room) return 0;
  const std::lock_guard lock(room->mutex);
  return room->joined;
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Poll(PlaceRef place, Time now) {
  while (true) {
    auto answer = PollAtOnce(place.view(), now);
    if (answer) co_return std::move(*answer);
    const auto committed = co_await journal_.Committed(PendingJoin(place.room));
    if (!committed.ok()) co_return committed.error();
  }
}

Outcome<WaitingRoomStore::Decided> WaitingRoomStore::DecideEnter(const PlaceView& place, Time now) {
  Room* room = Find(place.room);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(place.room)};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const auto user = KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  Arrive(*room, now);
  const auto number = NumberOf(*room, place, user);
  const auto entered = room->line.Enter(number, user, now);
  Write(*room);
  if (!entered.ok()) return entered.error();
  return Decided{PendingEntry(*room, number), Answer(*room, *room->line.Look(number, user, now))};
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::Enter(PlaceRef place, Time now) {
  auto decided = DecideEnter(place.view(), now);
  if (!decided.ok()) co_return decided.error();
  const auto committed = co_await journal_.Committed(decided->ticket);
  if (!committed.ok()) co_return committed.error();
  co_return std::move(decided->answer);
}

Outcome<WaitingRoomStore::Decided> WaitingRoomStore::DecideInside(const PlaceView& place, Time now) {
  Room* room = Find(place.room);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(place.room)};
  const auto user = KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  const auto number = NumberOf(*room, place, user);
  const auto standing = room->line.Look(number, user, now);
  if (!standing.ok()) return standing.error();
  if (standing->status != PlaceStatus::kEntered) return Refusal::kNotYourTurn;
  if (now >= *standing->ends_at) return Refusal::kNotQueued;
  return Decided{PendingEntry(*room, number), Answer(*room, *standing)};
}

Task<Outcome<PlaceAnswer>> WaitingRoomStore::CheckInside(PlaceRef place, Time now) {
  auto decided = DecideInside(place.view(), now);
  if (!decided.ok()) co_return decided.error();
  const auto committed = co_await journal_.Committed(decided->ticket);
  if (!committed.ok()) co_return committed.error();
  co_return std::move(decided->answer);
}

Outcome<WaitingRoomStore::Ended> WaitingRoomStore::DecideEnd(const PlaceView& place, Ending ending, Time now,
                                                             const AuditEntry* audit) {
  Room* room = Find(place.room);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(place.room)};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const auto user = KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  Arrive(*room, now);
  room->line.Advance(now);
  const auto number = NumberOf(*room, place, user);
  const bool kept = ending == Ending::kPaid &&
                    (!room->line.settings().release_on_payment || !room->line.IsInside(number, user, now));
  const bool ended = !kept && room->line.End(number, user, ending, now);
  const auto ticket = Write(*room, {}, ended ? audit : nullptr);
  return Ended{ticket, ended};
}

Task<Outcome<Done>> WaitingRoomStore::Leave(PlaceRef place, Time now) {
  const auto ended = DecideEnd(place.view(), Ending::kLeft, now);
  if (!ended.ok()) co_return ended.error();
  co_return co_await journal_.Committed(ended->ticket);
}

Task<Outcome<Done>> WaitingRoomStore::ReleaseAfterPayment(RoomId room, UserId user, Time now) {
  const auto ended = DecideEnd({room, user}, Ending::kPaid, now);
  if (!ended.ok()) co_return ended.error();
  co_return Done{};  // the row is on its way: the payment, which is on disk, waits for no second commit
}

Task<Outcome<Done>> WaitingRoomStore::Revoke(RoomId room, UserId user, std::string actor, Time now) {
  const auto subject = "room " + room;
  const AuditEntry audit{now, actor, "room.revoke", subject, user};
  const auto ended = DecideEnd({room, user}, Ending::kRevoked, now, &audit);
  if (!ended.ok()) co_return ended.error();
  if (!ended->ended) co_return Refusal::kNotQueued;
  co_return co_await journal_.Committed(ended->ticket);
}

// Operators.

RoomInfo WaitingRoomStore::Info(const Room& room) const {
  return {room.name,        room.epoch, room.line.settings(), room.line.Summary(), room.line.last_number(),
          room.line.draws()};
}

Outcome<WaitingRoomStore::Configured> WaitingRoomStore::DecideConfigure(std::string_view name,
                                                                        const RoomPatch& patch,
                                                                        std::string_view actor, Time now) {
  Room* room = Find(name);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(name)};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const std::lock_guard lock(room->mutex);
  Arrive(*room, now);
  const auto done = room->line.Configure(patch, now);
  if (!done.ok()) {
    Write(*room);
    return done.error();
  }
  const auto subject = fmt::format("room {}", name);
  const auto detail = Describe(patch);
  const AuditEntry audit{now, actor, "room.configure", subject, detail};
  const auto ticket = Write(*room, {}, patch.follow ? nullptr : &audit);
  return Configured{std::max(ticket, room->configured), Info(*room)};
}

Task<Outcome<RoomInfo>> WaitingRoomStore::Configure(RoomId room, RoomPatch patch, std::string actor,
                                                    Time now) {
  auto decided = DecideConfigure(room, patch, actor, now);
  if (!decided.ok()) co_return decided.error();
  const auto committed = co_await journal_.Committed(decided->ticket);
  if (!committed.ok()) co_return committed.error();
  co_return std::move(decided->info);
}

void WaitingRoomStore::SetSeats(RoomId name, bool has_seats, Time now) {
  Room* room = Find(name);
  if (!room || !journal_.Accepting()) return;
  const std::lock_guard lock(room->mutex);
  Arrive(*room, now);
  room->line.SetSeats(has_seats, now);
  Write(*room);
}

Outcome<WaitingRoomStore::Configured> WaitingRoomStore::DecideRead(std::string_view name, Time now) {
  Room* room = Find(name);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(name)};
  const std::lock_guard lock(room->mutex);
  if (journal_.Accepting()) {
    Arrive(*room, now);
    room->line.Advance(now);
    Write(*room);
  }
  return Configured{room->configured, Info(*room)};
}

Task<Outcome<RoomInfo>> WaitingRoomStore::Read(RoomId room, Time now) {
  auto decided = DecideRead(room, now);
  if (!decided.ok()) co_return decided.error();
  const auto committed = co_await journal_.Committed(decided->ticket);
  if (!committed.ok()) co_return committed.error();
  co_return std::move(decided->info);
}

std::optional<Outcome<Serving>> WaitingRoomStore::ServingAtOnce(std::string_view name, Time now) {
  Room* room = Find(name);
  if (!room) return Outcome<Serving>(Refused{Refusal::kRoomNotFound, std::string(name)});
  const std::lock_guard lock(room->mutex);
  if (journal_.Accepting()) {
    Arrive(*room, now);
    room->line.Advance(now);
    Write(*room);
  }
  return Outcome<Serving>(room->line.Summary());
}

Task<Outcome<Serving>> WaitingRoomStore::ReadServing(RoomId room, Time now) {
  co_return *ServingAtOnce(room, now);
}

void WaitingRoomStore::Tick(Time now) {
  std::size_t count = 0;
  {
    const std::lock_guard lock(rooms_mutex_);
    count = rooms_.size();
    ticking_.clear();
    for (const auto& room : rooms_) {
      if (room->due_ms.load(std::memory_order_relaxed) <= ToMillis(now)) ticking_.push_back(room.get());
    }
  }
  if (count > 0) NoticePause(now);
  if (!journal_.Accepting()) return;
  for (Room* room : ticking_) {
    const std::lock_guard lock(room->mutex);
    Arrive(*room, now);
    room->line.Advance(now);
    Write(*room);
  }
}

}  // namespace maejin::embedded
