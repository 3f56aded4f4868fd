#include "http/pages/maintenance_page.h"

#include <algorithm>

#include "http/problem.h"
#include "server/jitter.h"

namespace maejin::http {
namespace {

constexpr std::uint32_t kRetryAfterSeconds = 30;

constexpr std::string_view kServed[] = {
    "/console",
    "/assets/{name}",
    "/client/{name}",
    "/sw.js",
    "/favicon.svg",
    "/docs/problems/{code}",
    "/api/v1/time",
    "/.well-known/jwks.json",
    "/api/v1/payments/callback",
    "/api/v1/rooms/{eventId}/entries/me",
    "/api/v1/rooms/{eventId}/stream",
    "/api/v1/rooms/{eventId}/revocations",
    "/queue/status",
    "/gate",
};

}  // namespace

bool MaintenancePage::Serves(const Route& route) {
  if (route.access == Access::kAdmin || route.priority == Priority::kAlways) return true;
  if (route.pattern.starts_with("/api/v1/admin/")) return true;
  return std::ranges::find(kServed, route.pattern) != std::end(kServed);
}

void MaintenancePage::Answer(const Request& request, Response& response) const {
  const bool page = request.method == Method::kGet || request.method == Method::kHead;
  if (!page || !request.AcceptsHtml()) {
    Refused refused(Refusal::kMaintenance);
    refused.retry_after_seconds = kRetryAfterSeconds;
    return WriteProblem(refused, request, response);
  }
  library_->AnswerFilled("maintenance.html", {}, request, response);
  response.status = 503;
  response.cache = kNeverCached;
  response.AddHeader("Retry-After", std::to_string(JitteredSeconds(kRetryAfterSeconds)));
}

}  // namespace maejin::http
