// The least role of every admin route, in one table.
#pragma once

#include "server/router.h"

namespace maejin::http {

// Call after the last route was added. An admin route that the table lacks needs an owner's key.
void AssignRoles(Router& router);

}  // namespace maejin::http
