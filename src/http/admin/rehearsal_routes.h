// POST /api/v1/admin/rehearsals, GET and DELETE /api/v1/admin/rehearsals/current.
#pragma once

#include "server/router.h"
#include "usecase/manage_rehearsal.h"

namespace maejin::http {

// `rehearsal` outlives the router.
void AddRehearsalRoutes(Router& router, ManageRehearsal& rehearsal);

}  // namespace maejin::http
