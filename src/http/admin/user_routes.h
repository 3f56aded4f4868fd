// DELETE /api/v1/admin/users/{id}: erases a person.
#pragma once

#include "server/router.h"
#include "usecase/erase_user.h"

namespace maejin::http {

// `erase` outlives the router.
void AddUserRoutes(Router& router, EraseUser& erase);

}  // namespace maejin::http
