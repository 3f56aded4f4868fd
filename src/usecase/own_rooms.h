// An operator creates and deletes rooms of its own.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

// Thread-safe.
class OwnRooms {
 public:
  explicit OwnRooms(RoomContext context) : context_(context) {}
  // The audit log names `actor`. Refuses: kInvalidField (the name), kTargetRefused, kRoomExists,
  // kUnavailable.
  Task<Outcome<RoomInfo>> Create(RoomId room, RoomPatch patch, std::string actor) const;
  // Refuses: kRoomNotFound, kRoomInUse (a concert's room, or `main`), kUnavailable.
  Task<Outcome<Done>> Delete(RoomId room, std::string actor) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
