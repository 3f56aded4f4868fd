#include "http/admin/readiness_routes.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/numbers.h"

namespace maejin::http {
namespace {

Task<Outcome<Done>> GetReadiness(std::shared_ptr<const ReadinessRoutes> deps, const Request& request,
                                 Response& response) {
  std::optional<ConcertId> sale;
  if (const auto text = request.Query("sale")) {
    sale = ParseInt<ConcertId>(*text);
    if (!sale || *sale < 1) co_return Refused(Refusal::kInvalidField, "sale: must be the id of a concert");
  }
  const auto findings = co_await deps->examine(sale);
  if (!findings.ok()) co_return findings.error();
  const bool ready = std::none_of(findings->begin(), findings->end(),
                                  [](const Finding& each) { return each.health == Health::kBad; });
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("ready", ready);
    json.Array("findings", [&] {
      for (const auto& finding : *findings) {
        json.Object([&] {
          json.Field("about", finding.about);
          json.Field("health", Name(finding.health));
          json.Field("sentence", finding.sentence);
          json.Field("meaning", deps->meaning(finding.about));
        });
      }
    });
  });
  co_return Done{};
}

}  // namespace

void AddReadinessRoutes(Router& router, ReadinessRoutes deps) {
  const auto shared = std::make_shared<const ReadinessRoutes>(std::move(deps));
  router.Add({.pattern = "/api/v1/admin/readiness",
              .access = Access::kAdmin,
              .priority = Priority::kAlways,
              .handler = [shared](const Request& request, Response& response) {
                return GetReadiness(shared, request, response);
              }});
}

}  // namespace maejin::http
