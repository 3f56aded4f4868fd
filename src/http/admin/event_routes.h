// GET /api/v1/admin/events: the event feed, for programs that follow it.
#pragma once

#include "server/router.h"
#include "usecase/read_events.h"

namespace maejin::http {

void AddEventRoutes(Router& router, ReadEvents read);

}  // namespace maejin::http
