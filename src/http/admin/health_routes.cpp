#include "http/admin/health_routes.h"

#include "base/json_writer.h"
#include "embedded/openapi_yaml.h"
#include "http/coding.h"

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
  if (deps.metrics) {
    deps.metrics->AddCounterOf("maejin_http_compressions_total",
                               "Texts compressed: seat maps, boards and openapi.yaml, once for each version.",
                               [] { return static_cast<double>(Compressions()); });
  }
  const auto description = std::make_shared<const CodedText>(embedded::openapi_yaml);
  router.Add(AlwaysAtOnce("/openapi.yaml", [description](const Request& request, Response& response) {
    response.content_type = "application/yaml";
    response.cache = "public, max-age=300";
    description->Give(request, response);
    return true;
  }));
  router.Add(AlwaysAtOnce("/readyz", [deps = std::move(deps)](const Request&, Response& response) {
    AnswerReadiness(deps, response);
    return true;
  }));
}

}  // namespace maejin::http
