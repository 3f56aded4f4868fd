// The series of a sale for operators.
#pragma once

#include "server/router.h"
#include "usecase/keep_sale_series.h"

namespace maejin::http {

// `series` outlives the router.
void AddSeriesRoutes(Router& router, const KeepSaleSeries& series);

}  // namespace maejin::http
