// The time series of a sale, for operators: counts at fixed intervals, and what operators did.
#pragma once

#include "server/router.h"
#include "usecase/keep_sale_series.h"

namespace maejin::http {

// `series` outlives the router.
void AddSeriesRoutes(Router& router, const KeepSaleSeries& series);

}  // namespace maejin::http
