#include "server/cors.h"

#include <algorithm>

namespace maejin::http {

Cors::Cors(std::vector<std::string> origins)
    : origins_(std::move(origins)),
      any_(std::find(origins_.begin(), origins_.end(), "*") != origins_.end()) {}

bool Cors::Allows(std::string_view origin) const {
  return !origin.empty() && (any_ || std::find(origins_.begin(), origins_.end(), origin) != origins_.end());
}

bool Cors::IsForeign(const Request& request) const {
  return request.Header("Sec-Fetch-Site") == "cross-site" && !Allows(request.Header("Origin"));
}

void Cors::AddHeaders(const Request& request, Response& response) const {
  if (!enabled()) return;
  if (!any_) response.AddHeader("Vary", "Origin");
  const auto origin = request.Header("Origin");
  if (!Allows(origin)) return;
  response.AddHeader("Access-Control-Allow-Origin", any_ ? "*" : origin);
  response.AddHeader("Access-Control-Expose-Headers",
                     "Age, ETag, Idempotent-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After");
}

void Cors::AnswerOptions(const Request& request, std::string_view allow, Response& response) const {
  response.status = 204;
  response.AddHeader("Allow", allow);
  if (!Allows(request.Header("Origin")) || request.Header("Access-Control-Request-Method").empty()) return;
  response.AddHeader("Access-Control-Allow-Methods", allow);
  response.AddHeader(
      "Access-Control-Allow-Headers",
      "Accept-Language, Authorization, Content-Type, Idempotency-Key, Prefer, X-Queue-Token, X-User-Id");
  response.AddHeader("Access-Control-Max-Age", "600");
}

}  // namespace maejin::http
