// POST and GET /api/v1/admin/keys, DELETE /api/v1/admin/keys/{id}: operators' keys.
#pragma once

#include "server/router.h"
#include "usecase/manage_keys.h"

namespace maejin::http {

// `keys` outlives the router.
void AddKeyRoutes(Router& router, ManageKeys& keys);

}  // namespace maejin::http
