// A fan takes a place in a room; a fan with a place gets that place. While the database of the bookings has
// not answered for three seconds, there are no new places: no fan can be admitted or book.
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
  bool IsPaused() const;
  // Gives no new place: kUnavailable instead.
  Task<Outcome<PlaceAnswer>> FindPlace(PlaceRef place, Time now) const;
  Task<Outcome<PlaceAnswer>> Join(const JoinRequest& request, Time now) const;

  RoomContext context_;
};

}  // namespace maejin
