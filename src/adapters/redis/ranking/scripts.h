// The scripts of the boards (scripts/ranking_*.lua). The first lines of each describe keys, arguments and
// reply.
#pragma once

#include "adapters/redis/client/script.h"

namespace maejin::redis {

struct RankingScripts {
  static const RankingScripts& Get();

  Script add;
  Script remove;
  Script read;
  Script ranks;
  Script progress_read;
  Script drop;
  Script build;
  Script progress;
  Script replace;
  Script check_state;
  Script mark_complete;
};

}  // namespace maejin::redis
