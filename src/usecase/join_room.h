// A fan takes a place in a room, or gets told the one it has.
#pragma once

#include "usecase/room_parts.h"

namespace maejin {

class JoinRoom {
 public:
  explicit JoinRoom(RoomParts parts) : parts_(parts) {}
  // Refuses: kRoomNotFound, kNotOpen, kRoomClosed, kTooManyRequests, kUnavailable.
  Task<Outcome<TokenReport>> operator()(JoinRequest request) const;

 private:
  RoomParts parts_;
};

}  // namespace maejin
