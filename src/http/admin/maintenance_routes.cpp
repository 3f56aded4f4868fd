#include "http/admin/maintenance_routes.h"

#include "base/json_writer.h"
#include "http/operator_route.h"

namespace maejin::http {
namespace {

void AppendMaintenance(const ManageMaintenance& maintenance, std::string& out) {
  const auto since = maintenance.Since();
  JsonWriter json(out);
  json.Object([&] {
    json.Field("active", since.has_value());
    json.OptionalField("since", since);
  });
}

Task<Outcome<Done>> SetMaintenance(ManageMaintenance& maintenance, bool on, const Request& request,
                                   Response& response) {
  const auto set = co_await maintenance.Set(on, request.actor);
  if (!set.ok()) co_return set.error();
  if (on) AppendMaintenance(maintenance, response.body);
  if (!on) response.status = 204;
  co_return Done{};
}

}  // namespace

void AddMaintenanceRoutes(Router& router, ManageMaintenance& maintenance) {
  const auto add = [&](Method method, Handler handler) {
    AddOperatorRoute(router, method, "/api/v1/admin/maintenance", std::move(handler));
  };
  add(Method::kGet, [&maintenance](const Request&, Response& response) -> Task<Outcome<Done>> {
    AppendMaintenance(maintenance, response.body);
    co_return Done{};
  });
  add(Method::kPut, [&maintenance](const Request& request, Response& response) {
    return SetMaintenance(maintenance, true, request, response);
  });
  add(Method::kDelete, [&maintenance](const Request& request, Response& response) {
    return SetMaintenance(maintenance, false, request, response);
  });
}

}  // namespace maejin::http
