// A fan asks where it stands. The hottest path of the program: answers at once, without allocation, where it
// can.
#pragma once

#include "usecase/room_parts.h"

namespace maejin {

class PollRoom {
 public:
  explicit PollRoom(RoomParts parts) : parts_(parts) {}
  // Refuses: as FindPlace(), and kRoomNotFound, kNotQueued.
  Task<Outcome<TokenReport>> operator()(VisitorCommand visitor) const;
  // The same for a visitor with a token, without waiting; absent where the store must wait.
  std::optional<Outcome<PlaceReport>> AtOnce(const Visitor& visitor) const;

 private:
  RoomParts parts_;
};

}  // namespace maejin
