// The rankings over HTTP: the boards, one concert's rank, booking progress, the event stream, and the
// short paths of docs/requirements.md. Operators: import of history, rebuild, prune, reconcile.
#pragma once

#include "base/clock.h"
#include "base/time_zone.h"
#include "http/ranking/stream.h"
#include "server/router.h"
#include "usecase/keep_rankings.h"
#include "usecase/read_progress.h"
#include "usecase/read_ranking.h"

namespace maejin::http {

// All outlive the router.
struct RankingRoutes {
  ReadRanking* read = nullptr;
  ReadProgress* progress = nullptr;
  KeepRankings* keep = nullptr;
  RankingStream* stream = nullptr;
  const Clock* clock = nullptr;
  TimeZone zone;
};

void AddRankingRoutes(Router& router, const RankingRoutes& deps);

}  // namespace maejin::http
