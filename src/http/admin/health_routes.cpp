#include "http/admin/health_routes.h"

#include "base/json_writer.h"
#include "embedded/openapi_yaml.h"

namespace maejin::http {
namespace {

void AnswerReadiness(const HealthRoutes& deps, Response& response) {
  const bool draining = deps.draining && deps.draining();
  bool ready = !draining;
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("draining", draining);
    json.Object("checks", [&] {
      for (const auto& check : deps.checks) {
        const bool fine = check.ready();
        ready = ready && fine;
        json.Field(check.name, fine);
      }
    });
    if (deps.clock_offset) json.Field("clockOffsetMs", deps.clock_offset().count());
    json.Field("status", ready ? "ready" : "unready");
  });
  response.status = ready ? 200 : 503;
}

Route AlwaysAtOnce(std::string pattern, InlineHandler handler) {
  Route route;
  route.pattern = std::move(pattern);
  route.priority = Priority::kAlways;
  route.inline_handler = std::move(handler);
  return route;
}

}  // namespace

void AddHealthRoutes(Router& router, HealthRoutes deps) {
  router.Add(AlwaysAtOnce("/healthz", [](const Request&, Response& response) {
    response.body = R"({"status":"ok"})";
    return true;
  }));
  router.Add(AlwaysAtOnce("/metrics", [metrics = deps.metrics](const Request&, Response& response) {
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics ? metrics->Text() : std::string();
    return true;
  }));
  router.Add(AlwaysAtOnce("/openapi.yaml", [](const Request&, Response& response) {
    response.content_type = "application/yaml";
    response.body = embedded::openapi_yaml;
    return true;
  }));
  router.Add(AlwaysAtOnce("/readyz", [deps = std::move(deps)](const Request&, Response& response) {
    AnswerReadiness(deps, response);
    return true;
  }));
}

}  // namespace maejin::http
