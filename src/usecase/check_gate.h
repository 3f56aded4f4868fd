// May this visitor of somebody's shop pass? Asked by a gateway for every request (nginx auth_request).
#pragma once

#include "domain/waiting_room/pass.h"
#include "usecase/room_parts.h"

namespace maejin {

struct GateQuestion {
  // The room whose fans may pass; empty: whichever the pass or token is for.
  RoomId room = {};
  // One of them: the pass (a JWT), or the queue token.
  std::string pass = {};
  std::string token = {};
  // Who the gateway says it is, if it says so; must be the holder.
  std::optional<UserId> user = {};
};

struct GateVerdict {
  int status = 401;  // 204: pass; 401: nothing valid was shown; 403: valid, but not (or no longer) inside
  std::string_view reason =
      "none";  // "ok", "none", "invalid", "expired", "other-room", "other-user", "not-inside"
};

class CheckGate {
 public:
  explicit CheckGate(RoomParts parts) : parts_(parts) {}
  Task<GateVerdict> operator()(GateQuestion question) const;

 private:
  RoomParts parts_;
};

}  // namespace maejin
