// An operator changes a room while it runs.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

class ConfigureRoom {
 public:
  explicit ConfigureRoom(RoomContext context) : context_(context) {}
  // Changes what the patch names and keeps the rest; `actor` stands in the audit log.
  // Refuses: kRoomNotFound, kInvalidField (a phase that cannot follow), kUnavailable.
  Task<Outcome<RoomInfo>> operator()(RoomId room, RoomPatch patch, std::string actor) const;
  // An operator ends a fan's place or slot, and with it the pass. Refuses: kRoomNotFound, kNotQueued,
  // kUnavailable.
  Task<Outcome<Done>> Revoke(RoomId room, UserId user, std::string actor) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
