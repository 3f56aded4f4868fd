// A fan polls its place. The hottest path of the program: it answers without waiting and without allocation
// if the store can.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

// Thread-safe.
class PollRoom {
 public:
  explicit PollRoom(RoomContext context) : context_(context) {}
  // Refuses: as FindPlace(), and kRoomNotFound, kNotQueued, kUnavailable.
  Task<Outcome<TokenReport>> operator()(VisitorCommand visitor) const;
  // The same for a visitor with a token, without waiting; absent if the store must wait.
  std::optional<Outcome<PlaceReport>> AtOnce(const Visitor& visitor) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
