// The scripts of a waiting room.
#pragma once

#include "adapters/redis/client/script.h"

namespace maejin::redis {

struct RoomScripts {
  static const RoomScripts& Get();

  Script ask;
  Script enter;
  Script end;
  Script tick;
  Script configure;
  Script restore;
  Script read;
  Script create;
  Script epoch;
  Script notes;
  Script inside;
  Script show;
  Script seats;
  Script remove;
};

}  // namespace maejin::redis
