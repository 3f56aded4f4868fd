// What operators do to the rankings: import history, rebuild, prune, reconcile.
#pragma once

#include "http/ranking/routes.h"

namespace maejin::http {

void AddRankingAdminRoutes(Router& router, const RankingRoutes& deps);

}  // namespace maejin::http
