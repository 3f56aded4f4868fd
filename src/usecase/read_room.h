// Reads a room's settings and its public counters.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

// Thread-safe.
class ReadRoom {
 public:
  explicit ReadRoom(RoomContext context) : context_(context) {}
  // Refuses: kRoomNotFound, kUnavailable.
  Task<Outcome<RoomInfo>> operator()(RoomId room) const;
  // Refuses: kRoomNotFound. Absent if the store must wait: then call ReadServing().
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room) const;
  // Refuses: kRoomNotFound, kUnavailable.
  Task<Outcome<Serving>> ReadServing(RoomId room) const;
  // The names of all rooms: `main`, then those of concerts by id, then the operator's own by name.
  std::vector<RoomId> Rooms() const;
  // The counters of all rooms. Never waits.
  std::vector<RoomStats> Stats() const;
  // Absent: the room is not bypassed.
  std::optional<Time> BypassedUntil(std::string_view room) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
