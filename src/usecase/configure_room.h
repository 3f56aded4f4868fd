// An operator changes a room while it runs.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

// Thread-safe.
class ConfigureRoom {
 public:
  explicit ConfigureRoom(RoomContext context) : context_(context) {}
  // Changes the fields that the patch sets. The audit log names `actor`.
  // Refuses: kRoomNotFound, kInvalidField (the room cannot change to this phase), kTargetRefused,
  // kUnavailable.
  Task<Outcome<RoomInfo>> operator()(RoomId room, RoomPatch patch, std::string actor) const;
  // Ends a fan's place or slot, and with it the pass. Refuses: kRoomNotFound, kNotQueued, kUnavailable.
  Task<Outcome<Done>> Revoke(RoomId room, UserId user, std::string actor) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
