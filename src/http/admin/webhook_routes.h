// /api/v1/admin/webhooks: endpoints that get events by POST, their secrets and their deliveries.
#pragma once

#include "server/router.h"
#include "usecase/manage_webhooks.h"

namespace maejin::http {

// `manage` outlives the router.
void AddWebhookRoutes(Router& router, ManageWebhooks& manage);

}  // namespace maejin::http
