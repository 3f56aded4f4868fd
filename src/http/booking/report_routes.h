// The sale report for operators.
#pragma once

#include "server/router.h"
#include "usecase/report_sale.h"

namespace maejin::http {

// `report` outlives the router.
void AddReportRoutes(Router& router, const ReportSale& report);

}  // namespace maejin::http
