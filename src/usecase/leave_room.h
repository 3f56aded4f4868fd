// A fan gives its place or slot back.
#pragma once

#include "usecase/room_parts.h"

namespace maejin {

class LeaveRoom {
 public:
  explicit LeaveRoom(RoomParts parts) : parts_(parts) {}
  // Leaving what was left already is no error. Refuses: as FindPlace(), and kRoomNotFound, kUnavailable.
  Task<Outcome<Done>> operator()(VisitorCommand visitor) const;

 private:
  RoomParts parts_;
};

}  // namespace maejin
