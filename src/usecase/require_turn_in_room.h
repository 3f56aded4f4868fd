// RequireTurn over the waiting rooms: a hold needs a fan who is inside.
#pragma once

#include "usecase/require_turn.h"
#include "usecase/room_parts.h"

namespace maejin {

class RequireTurnInRoom final : public RequireTurn {
 public:
  RequireTurnInRoom(WaitingRoomStore& store, const KeyRing& keys) : store_(store), keys_(keys) {}
  Task<Outcome<UserId>> operator()(TurnQuestion question, Time now) override;

 private:
  WaitingRoomStore& store_;
  const KeyRing& keys_;
};

}  // namespace maejin
