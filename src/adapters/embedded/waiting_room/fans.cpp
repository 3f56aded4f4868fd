#include "adapters/embedded/waiting_room/fans.h"

#include <algorithm>

namespace maejin::embedded {

bool Fans::MayJoin(Room& room, const UserKey& user, std::string_view address, Time now) {
  const auto limit = room.line.settings().joins_per_address_per_minute;
  const auto prefix = limit ? AddressPrefix(address) : 0;
  if (prefix == 0 || room.line.Find(user) != 0) return true;
  if (!room.joins) room.joins = std::make_unique<JoinLimit>();
  return room.joins->Take(prefix, *limit, now);
}

Outcome<Fans::Decision> Fans::Join(const JoinRequest& request, Time now) {
  Room* room = rooms_.Find(request.room);
  if (!room) return Refused{Refusal::kRoomNotFound, request.room};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const auto user = rooms_.KeyOf(request.user);
  const std::lock_guard lock(room->mutex);
  if (room->removed) return Refused{Refusal::kRoomNotFound, request.room};
  pauses_.ApplyTo(*room, now);
  if (!MayJoin(*room, user, request.address, now)) {
    return TooManyJoins(room->line.settings());
  }
  const auto joined = room->line.Join(user, now);
  const auto written = writer_.Write(*room, request.user);
  if (!joined.ok()) return joined.error();
  Decision decision{written, room->AnswerOf(joined->standing)};
  decision.answer.first = joined->first;
  if (joined->first) return decision;
  // A concurrent request of the same user may have made the place, and that join may not be on disk yet.
  decision.ticket = std::max(room->joined, room->PendingEntry(joined->standing.number));
  return decision;
}

bool Fans::MustWaitForJoin(const Room& room, const PlaceView& place) const {
  return place.number == 0 && !journal_.IsCommitted(room.joined);
}

Outcome<PlaceAnswer> Fans::AnswerPoll(Room& room, Outcome<Standing> standing) const {
  if (!standing.ok()) return standing.error();
  writer_.HideUncommittedEntry(room, *standing);
  return room.AnswerOf(*standing);
}

std::optional<Outcome<PlaceAnswer>> Fans::Poll(const PlaceView& place, Time now) {
  Room* room = rooms_.Find(place.room);
  if (!room) return Outcome<PlaceAnswer>(Refused{Refusal::kRoomNotFound, std::string(place.room)});
  const auto user = rooms_.KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  pauses_.ApplyTo(*room, now);
  if (MustWaitForJoin(*room, place)) return {};
  ++room->stats.polls;
  const auto number = room->NumberOf(place, user);
  auto standing =
      journal_.Accepting() ? room->line.Poll(number, user, now) : room->line.Look(number, user, now);
  writer_.Write(*room);
  return AnswerPoll(*room, std::move(standing));
}

std::optional<Outcome<PlaceAnswer>> Fans::Peek(const PlaceView& place, Time now) {
  Room* room = rooms_.Find(place.room);
  if (!room) return Outcome<PlaceAnswer>(Refused{Refusal::kRoomNotFound, std::string(place.room)});
  const auto user = rooms_.KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  if (MustWaitForJoin(*room, place)) return {};
  return AnswerPoll(*room, room->line.Look(room->NumberOf(place, user), user, now));
}

Ticket Fans::NewestJoin(std::string_view name) const {
  Room* room = rooms_.Find(name);
  if (!room) return 0;
  const std::lock_guard lock(room->mutex);
  return room->joined;
}

Outcome<Fans::Decision> Fans::Enter(const PlaceView& place, Time now) {
  Room* room = rooms_.Find(place.room);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(place.room)};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const auto user = rooms_.KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  if (room->removed) return Refused{Refusal::kRoomNotFound, std::string(place.room)};
  pauses_.ApplyTo(*room, now);
  const auto number = room->NumberOf(place, user);
  const auto entered = room->line.Enter(number, user, now);
  writer_.Write(*room);
  if (!entered.ok()) return entered.error();
  return Decision{room->PendingEntry(number), room->AnswerOf(*room->line.Look(number, user, now))};
}

Outcome<Fans::Decision> Fans::CheckInside(const PlaceView& place, Time now) {
  Room* room = rooms_.Find(place.room);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(place.room)};
  const auto user = rooms_.KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  const auto number = room->NumberOf(place, user);
  const auto standing = room->line.Look(number, user, now);
  if (!standing.ok()) return standing.error();
  if (standing->status != PlaceStatus::kEntered) return Refusal::kNotYourTurn;
  if (now >= *standing->ends_at) return Refusal::kNotQueued;
  return Decision{room->PendingEntry(number), room->AnswerOf(*standing)};
}

Outcome<Fans::EndDecision> Fans::End(const PlaceView& place, Ending ending, Time now,
                                     const AuditEntry* audit) {
  Room* room = rooms_.Find(place.room);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(place.room)};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const auto user = rooms_.KeyOf(place.user);
  const std::lock_guard lock(room->mutex);
  pauses_.ApplyTo(*room, now);
  room->line.Advance(now);
  const auto number = room->NumberOf(place, user);
  const bool kept = ending == Ending::kPaid &&
                    (!room->line.settings().release_on_payment || !room->line.IsInside(number, user, now));
  const bool ended = !kept && room->line.End(number, user, ending, now);
  const auto ticket = writer_.Write(*room, {}, ended ? audit : nullptr);
  return EndDecision{ticket, ended};
}

}  // namespace maejin::embedded
