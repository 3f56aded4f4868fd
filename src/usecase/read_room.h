// What a room is set to, and what everybody may know of it.
#pragma once

#include "usecase/room_parts.h"

namespace maejin {

class ReadRoom {
 public:
  explicit ReadRoom(RoomParts parts) : parts_(parts) {}
  // Refuses: kRoomNotFound.
  Task<Outcome<RoomInfo>> operator()(RoomId room) const;
  // Refuses: kRoomNotFound. Absent where the store must wait: then call ReadServing().
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room) const;
  Task<Outcome<Serving>> ReadServing(RoomId room) const;

 private:
  RoomParts parts_;
};

}  // namespace maejin
