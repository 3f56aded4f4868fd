// The scripts of a waiting room, and what their first answer means.
#pragma once

#include <cstdint>

#include "adapters/redis/client/script.h"

namespace maejin::redis {

// 0, 1 and 2 are standings (PlaceStatus); the rest as at the top of scripts/room.lua.
enum class RoomCode : std::int64_t {
  kNoRoom = -1,
  kPhaseDue = -2,
  kNotQueued = -3,
  kNotYourTurn = -4,
  kClosed = -5,
  kNotOpen = -6,
  kLost = -7,
  kAgain = -8,
  kTooMany = -9,
  kGoneBack = -10,
};

struct RoomScripts {
  static const RoomScripts& Get();

  Script join;
  Script poll;
  Script polls;
  Script look;
  Script inside;
  Script enter;
  Script enters;
  Script end;
  Script tick;
  Script read;
  Script create;
  Script configure;
  Script restore;
  Script epoch;
  Script notes;
  Script told;
  Script logged;
  Script show;
};

}  // namespace maejin::redis
