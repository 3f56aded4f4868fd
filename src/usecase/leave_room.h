// A fan gives its place or slot back.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

class LeaveRoom {
 public:
  explicit LeaveRoom(RoomContext context) : context_(context) {}
  // Leaving what was left already is no error. Refuses: as FindPlace(), and kRoomNotFound, kUnavailable.
  Task<Outcome<Done>> operator()(VisitorCommand visitor) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
