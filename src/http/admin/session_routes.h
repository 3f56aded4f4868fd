// POST, GET and DELETE /api/v1/admin/session: the console's session.
#pragma once

#include "base/metrics.h"
#include "http/admin/console_session.h"
#include "server/router.h"

namespace maejin::http {

// The references outlive the router.
void AddSessionRoutes(Router& router, ConsoleSessions& sessions, Metrics& metrics);

}  // namespace maejin::http
