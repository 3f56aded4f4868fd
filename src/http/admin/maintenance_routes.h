// The switch of the maintenance page: GET, PUT and DELETE /api/v1/admin/maintenance.
#pragma once

#include "server/router.h"
#include "usecase/manage_maintenance.h"

namespace maejin::http {

// `maintenance` outlives the router.
void AddMaintenanceRoutes(Router& router, ManageMaintenance& maintenance);

}  // namespace maejin::http
