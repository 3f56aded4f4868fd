#include "http/admin/route_roles.h"

namespace maejin::http {
namespace {

struct RouteRole {
  Method method;
  const char* pattern;
  OperatorRole least;
};

using enum Method;
using enum OperatorRole;

// openapi.yaml has the same roles as x-least-role. tests/e2e/roles_test.py tries every route with every role.
constexpr RouteRole kRouteRoles[] = {
    {kGet, "/api/v1/admin/concerts", kViewer},
    {kGet, "/api/v1/admin/reservations", kViewer},
    {kGet, "/api/v1/admin/reservations.csv", kViewer},
    {kGet, "/api/v1/admin/reservations/{id}", kViewer},
    {kGet, "/api/v1/admin/events", kViewer},
    {kGet, "/api/v1/admin/audit", kViewer},
    {kGet, "/api/v1/admin/system", kViewer},
    {kGet, "/api/v1/admin/readiness", kViewer},
    {kPost, "/api/v1/admin/session", kViewer},
    {kGet, "/api/v1/admin/session", kViewer},
    {kDelete, "/api/v1/admin/session", kViewer},
    {kGet, "/api/v1/concerts/{id}/report", kViewer},
    {kGet, "/api/v1/concerts/{id}/series", kViewer},
    {kGet, "/api/v1/rooms", kViewer},
    {kGet, "/api/v1/rooms/{eventId}", kViewer},

    {kDelete, "/api/v1/admin/reservations/{id}", kBoxOffice},
    {kGet, "/api/v1/tickets/{code}", kBoxOffice},

    {kPost, "/api/v1/concerts", kOperator},
    {kPatch, "/api/v1/concerts/{id}", kOperator},
    {kPut, "/api/v1/concerts/{id}/poster", kOperator},
    {kDelete, "/api/v1/concerts/{id}/poster", kOperator},
    {kPut, "/api/v1/concerts/{id}/logo", kOperator},
    {kDelete, "/api/v1/concerts/{id}/logo", kOperator},
    {kPost, "/api/v1/concerts/{id}/schedules", kOperator},
    {kPost, "/api/v1/concerts/{id}/schedules/import", kOperator},
    {kPost, "/api/v1/concerts/{id}/open", kOperator},
    {kPost, "/api/v1/concerts/{id}/close", kOperator},
    {kPost, "/api/v1/concerts/{id}/reopen", kOperator},
    {kPost, "/api/v1/concerts/{id}/cancel", kOperator},
    {kPatch, "/api/v1/schedules/{id}", kOperator},
    {kPost, "/api/v1/schedules/{id}/block", kOperator},
    {kPost, "/api/v1/schedules/{id}/release", kOperator},
    {kPost, "/api/v1/schedules/{id}/cancel", kOperator},
    {kPost, "/api/v1/schedules/{id}/postpone", kOperator},
    {kPost, "/api/v1/rooms", kOperator},
    {kPut, "/api/v1/rooms/{eventId}", kOperator},
    {kPatch, "/api/v1/rooms/{eventId}", kOperator},
    {kDelete, "/api/v1/rooms/{eventId}", kOperator},
    {kPost, "/api/v1/rooms/{eventId}/revocations", kOperator},
    {kPost, "/api/v1/admin/rooms/{id}/bypass", kOperator},
    {kDelete, "/api/v1/admin/rooms/{id}/bypass", kOperator},
    {kGet, "/api/v1/admin/maintenance", kViewer},
    {kPut, "/api/v1/admin/maintenance", kOperator},
    {kDelete, "/api/v1/admin/maintenance", kOperator},
    {kPost, "/api/v1/admin/rehearsals", kOperator},
    {kGet, "/api/v1/admin/rehearsals/current", kViewer},
    {kDelete, "/api/v1/admin/rehearsals/current", kOperator},

    {kPost, "/api/v1/admin/keys", kOwner},
    {kGet, "/api/v1/admin/keys", kOwner},
    {kDelete, "/api/v1/admin/keys/{id}", kOwner},
    {kPost, "/api/v1/admin/keys/rotate", kOwner},
    {kPost, "/api/v1/admin/webhooks", kOwner},
    {kGet, "/api/v1/admin/webhooks", kOwner},
    {kGet, "/api/v1/admin/webhooks/{id}", kOwner},
    {kPatch, "/api/v1/admin/webhooks/{id}", kOwner},
    {kDelete, "/api/v1/admin/webhooks/{id}", kOwner},
    {kPost, "/api/v1/admin/webhooks/{id}/test", kOwner},
    {kPost, "/api/v1/admin/webhooks/{id}/rotate-secret", kOwner},
    {kGet, "/api/v1/admin/webhooks/{id}/deliveries", kOwner},
    {kPost, "/api/v1/admin/webhooks/{id}/deliveries/{deliveryId}/resend", kOwner},
    {kPost, "/api/v1/admin/soldouts", kOwner},
    {kPut, "/api/v1/admin/soldouts/{concertId}", kOwner},
    {kDelete, "/api/v1/admin/soldouts/{concertId}", kOwner},
    {kPost, "/api/v1/admin/rankings/rebuild", kOwner},
    {kPost, "/api/v1/admin/rankings/prune", kOwner},
    {kPost, "/api/v1/admin/rankings/reconcile", kOwner},
    {kDelete, "/api/v1/admin/users/{id}", kOwner},
};

}  // namespace

void AssignRoles(Router& router) {
  for (const auto& row : kRouteRoles) router.SetLeastRole(row.method, row.pattern, row.least);
}

}  // namespace maejin::http
