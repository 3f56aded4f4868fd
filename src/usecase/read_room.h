// What a room is set to, and what everybody may know of it.
#pragma once

#include "usecase/room_context.h"

namespace maejin {

class ReadRoom {
 public:
  explicit ReadRoom(RoomContext context) : context_(context) {}
  // Refuses: kRoomNotFound.
  Task<Outcome<RoomInfo>> operator()(RoomId room) const;
  // Refuses: kRoomNotFound. Absent where the store must wait: then call ReadServing().
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room) const;
  Task<Outcome<Serving>> ReadServing(RoomId room) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
