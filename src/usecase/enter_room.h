// A fan whose turn it is goes in and gets a pass.
#pragma once

#include "domain/pass.h"
#include "usecase/room_parts.h"

namespace maejin {

struct Entered {
  PlaceReport report;
  std::string token;
  // An ES256 JWT that expires with the session limit.
  std::string pass;
};

class EnterRoom {
 public:
  explicit EnterRoom(RoomParts parts) : parts_(parts) {}
  // Refuses: as FindPlace(), and kRoomNotFound, kNotQueued, kRoomClosed, kNotYourTurn, kUnavailable.
  Task<Outcome<Entered>> operator()(VisitorCommand visitor) const;

 private:
  RoomParts parts_;
};

}  // namespace maejin
