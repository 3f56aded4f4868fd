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
  // The same for a site's visitor, by its pass. Refuses: kTokenInvalid (forged, expired, or of another room),
  // kRoomNotFound, kUnavailable.
  Task<Outcome<Done>> ByPass(RoomId room, std::string pass) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
