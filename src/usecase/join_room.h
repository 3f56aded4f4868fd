// A fan takes a place in a room; a fan with a place gets that place.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

// Thread-safe.
class JoinRoom {
 public:
  explicit JoinRoom(RoomContext context) : context_(context) {}
  // Refuses: kRoomNotFound, kNotOpen, kRoomClosed, kConcertCancelled, kTooManyRequests, kUnavailable.
  Task<Outcome<TokenReport>> operator()(JoinRequest request) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
