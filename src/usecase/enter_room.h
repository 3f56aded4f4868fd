// A ready fan takes its slot and, on request, gets a pass.
#pragma once

#include "domain/waiting_room/pass.h"
#include "usecase/room_context.h"

namespace maejin {

struct Entered {
  PlaceReport report;
  std::string token;
  // An ES256 JWT that expires with the session limit. Absent unless requested: signing is the most expensive
  // step.
  std::optional<std::string> pass = {};
};

// Thread-safe.
class EnterRoom {
 public:
  explicit EnterRoom(RoomContext context) : context_(context) {}
  // Refuses: as FindPlace(), and kRoomNotFound, kNotQueued, kRoomClosed, kSoldOut, kNotYourTurn,
  // kUnavailable.
  Task<Outcome<Entered>> operator()(VisitorCommand visitor, bool wants_pass) const;

 private:
  // Takes a slot, or, in a bypassed room, begins a stay.
  Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) const;
  Task<Outcome<PlaceAnswer>> EnterOrStay(PlaceRef place, Time now) const;
  Entered Report(const VisitorCommand& visitor, std::string_view user, PlaceAnswer answer, bool wants_pass,
                 Time now) const;

  RoomContext context_;
};

}  // namespace maejin
