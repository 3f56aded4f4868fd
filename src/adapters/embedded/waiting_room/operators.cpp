#include "adapters/embedded/waiting_room/operators.h"

#include <algorithm>

#include <fmt/format.h>

namespace maejin::embedded {

void Operators::AdvanceLocked(Room& room, Time now) {
  if (!journal_.Accepting()) return;
  pauses_.ApplyTo(room, now);
  room.line.Advance(now);
  writer_.Write(room);
}

void Operators::Advance(Room& room, Time now) {
  const std::lock_guard lock(room.mutex);
  AdvanceLocked(room, now);
}

Outcome<Operators::Decision> Operators::Configure(std::string_view name, const RoomPatch& patch,
                                                  std::string_view actor, Time now) {
  Room* room = rooms_.Find(name);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(name)};
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const std::lock_guard lock(room->mutex);
  pauses_.ApplyTo(*room, now);
  const auto done = room->line.Configure(patch, now);
  if (!done.ok()) {
    writer_.Write(*room);
    return done.error();
  }
  const auto subject = fmt::format("room {}", name);
  const auto detail = Describe(patch);
  const AuditEntry audit{now, actor, "room.configure", subject, detail};
  // A change that follows the concert has an audit row for the concert, and none for the room.
  const auto ticket = writer_.Write(*room, {}, IsOperators(patch) ? &audit : nullptr);
  return Decision{std::max(ticket, room->configured), room->Info()};
}

void Operators::SetSeats(std::string_view name, bool has_seats, Time now) {
  Room* room = rooms_.Find(name);
  if (!room || !journal_.Accepting()) return;
  const std::lock_guard lock(room->mutex);
  pauses_.ApplyTo(*room, now);
  room->line.SetSeats(has_seats, now);
  writer_.Write(*room);
}

Outcome<Operators::Decision> Operators::Read(std::string_view name, Time now) {
  Room* room = rooms_.Find(name);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(name)};
  const std::lock_guard lock(room->mutex);
  AdvanceLocked(*room, now);
  return Decision{room->configured, room->Info()};
}

Outcome<Serving> Operators::ReadServing(std::string_view name, Time now) {
  Room* room = rooms_.Find(name);
  if (!room) return Refused{Refusal::kRoomNotFound, std::string(name)};
  const std::lock_guard lock(room->mutex);
  AdvanceLocked(*room, now);
  return room->line.Summary();
}

}  // namespace maejin::embedded
