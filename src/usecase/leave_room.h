// A fan gives up its place or slot.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

// Thread-safe.
class LeaveRoom {
 public:
  explicit LeaveRoom(RoomContext context) : context_(context) {}
  // Idempotent. Refuses: as FindPlace(), and kRoomNotFound, kUnavailable.
  Task<Outcome<Done>> operator()(VisitorCommand visitor) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
