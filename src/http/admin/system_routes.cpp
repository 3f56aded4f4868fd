#include "http/admin/system_routes.h"

#include "base/json_writer.h"
#include "base/numbers.h"

namespace maejin::http {
namespace {

constexpr std::int64_t kMostRows = 500;

Task<Outcome<Done>> Audit(const SystemRoutes& deps, const Request& request, Response& response) {
  std::optional<std::int64_t> before;
  std::int64_t limit = 50;
  if (const auto text = request.Query("before")) {
    before = ParseInt<std::int64_t>(*text);
    if (!before || *before < 1) co_return Refused(Refusal::kInvalidField, "before: must be the id of a row");
  }
  if (const auto text = request.Query("limit")) limit = ParseInt<std::int64_t>(*text).value_or(0);
  if (limit < 1 || limit > kMostRows) co_return Refused(Refusal::kInvalidField, "limit: must be 1…500");
  const auto rows = co_await deps.audit(before, static_cast<std::size_t>(limit));
  if (!rows) co_return rows.error();
  JsonWriter json(response.body);
  json.Object([&] {
    json.Array("entries", [&] {
      for (const auto& row : *rows) {
        json.Object([&] {
          json.Field("id", row.id);
          json.Field("at", row.at);
          json.Field("actor", row.actor);
          json.Field("action", row.action);
          json.Field("subject", row.subject);
          json.Field("detail", row.detail);
        });
      }
    });
  });
  co_return Done{};
}

void WriteSystem(const SystemRoutes& deps, std::string& out) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("version", deps.version);
    json.Field("startedAt", deps.started_at);
    json.Object("backEnds", [&] {
      for (const auto& [name, what] : deps.back_ends) json.Field(name, what);
    });
    json.Object("configuration", [&] {
      for (const auto& setting : deps.settings()) {
        json.Object(setting.name, [&] {
          json.Field("value", setting.value);
          json.Field("origin", setting.origin);
        });
      }
    });
  });
}

}  // namespace

void AddSystemRoutes(Router& router, SystemRoutes deps) {
  const auto shared = std::make_shared<const SystemRoutes>(std::move(deps));
  Route audit;
  audit.pattern = "/api/v1/admin/audit";
  audit.access = Access::kAdmin;
  audit.handler = [shared](const Request& request, Response& response) {
    return Audit(*shared, request, response);
  };
  router.Add(std::move(audit));
  Route system;
  system.pattern = "/api/v1/admin/system";
  system.access = Access::kAdmin;
  system.inline_handler = [shared](const Request&, Response& response) {
    WriteSystem(*shared, response.body);
    return true;
  };
  router.Add(std::move(system));
}

}  // namespace maejin::http
