// A fan whose turn it is goes in and gets a pass, where it wants one.
#pragma once

#include "domain/waiting_room/pass.h"
#include "usecase/room_parts.h"

namespace maejin {

struct Entered {
  PlaceReport report;
  std::string token;
  // An ES256 JWT that expires with the session limit; absent where none was wanted: signing it costs more than all
  // the rest.
  std::optional<std::string> pass = {};
};

class EnterRoom {
 public:
  explicit EnterRoom(RoomParts parts) : parts_(parts) {}
  // Refuses: as FindPlace(), and kRoomNotFound, kNotQueued, kRoomClosed, kNotYourTurn, kUnavailable.
  Task<Outcome<Entered>> operator()(VisitorCommand visitor, bool wants_pass) const;

 private:
  RoomParts parts_;
};

}  // namespace maejin
