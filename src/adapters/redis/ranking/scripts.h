// The scripts of the boards; each says at its top what it takes and returns.
#pragma once

#include "adapters/redis/client/script.h"

namespace maejin::redis {

struct RankingScripts {
  static const RankingScripts& Get();

  Script add;
  Script remove;
  Script read;
  Script ranks;
  Script drop;
  Script progress;
  Script replace;
  Script look;
  Script made;
};

}  // namespace maejin::redis
