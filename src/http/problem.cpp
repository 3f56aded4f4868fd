#include "http/problem.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "server/jitter.h"

namespace maejin::http {
namespace {

bool IsUnauthorized(int status) { return status == 401; }

template <class Extra>
void WriteBody(const ProblemText& text, std::string_view detail, Response& response, Extra&& extra) {
  response.status = text.status;
  response.content_type = "application/problem+json";
  response.shared_body.reset();
  response.body.clear();
  response.cache = kNeverCached;
  JsonWriter json(response.body);
  json.Object([&] {
    json.Raw("type", "\"/docs/problems/");
    response.body.append(text.code).append("\"");
    json.Field("title", text.title_en);
    json.Field("status", text.status);
    json.Field("code", text.code);
    json.Field("detail", detail);
    extra(json);
  });
}

std::string DetailOf(const Refused& refused, Language language) {
  const auto& text = TextOf(refused.why);
  std::string detail(text.DetailIn(language));
  const bool has_detail = refused.why == Refusal::kInvalidField || refused.why == Refusal::kInvalidJson ||
                          refused.why == Refusal::kUnauthorized || refused.why == Refusal::kForbidden ||
                          refused.why == Refusal::kTooManySeats || refused.why == Refusal::kTooManyRequests ||
                          refused.why == Refusal::kSaleRunning;
  if (has_detail && !refused.about.empty()) detail.append(" (").append(refused.about).append(")");
  return detail;
}

bool NamesSeat(Refusal why) {
  return why == Refusal::kSeatHeld || why == Refusal::kSeatTaken || why == Refusal::kSeatNotFound;
}

// draft-ietf-httpapi-ratelimit-headers: structured fields with one named policy.
void AddRateLimit(const Quota& quota, std::uint32_t retry_after_seconds, Response& response) {
  const bool renews = quota.window_seconds > 0;
  const auto window = renews ? fmt::format(";w={}", quota.window_seconds) : "";
  const auto reset = renews ? fmt::format(";t={}", retry_after_seconds) : "";
  response.AddHeader("RateLimit-Policy", fmt::format("\"{}\";q={}{}", quota.name, quota.limit, window));
  response.AddHeader("RateLimit", fmt::format("\"{}\";r={}{}", quota.name, quota.remaining, reset));
}

void AddHeaders(const Refused& refused, const ProblemText& text, Response& response) {
  if (refused.why == Refusal::kMethodNotAllowed) response.AddHeader("Allow", refused.about);
  if (IsUnauthorized(text.status)) response.AddHeader("WWW-Authenticate", "Bearer");
  const bool retry = text.status == 503 || text.status == 429 || refused.why == Refusal::kIdempotencyRunning;
  if (!retry) return;
  const auto seconds = JitteredSeconds(refused.retry_after_seconds);
  response.AddHeader("Retry-After", std::to_string(seconds));
  if (!refused.quota.name.empty()) AddRateLimit(refused.quota, seconds, response);
}

}  // namespace

int StatusOf(Refusal refusal) { return TextOf(refusal).status; }

void WriteProblem(const Refused& refused, const Request& request, Response& response) {
  const auto& text = TextOf(refused.why);
  response.refusal = refused.why;
  response.extra_headers.clear();
  AddHeaders(refused, text, response);
  WriteBody(text, DetailOf(refused, request.language), response, [&](JsonWriter& json) {
    if (refused.why == Refusal::kInvalidField) json.Field("field", FieldOf(refused));
    if (NamesSeat(refused.why) && !refused.about.empty()) json.Raw("seat", refused.about);
    if (refused.why == Refusal::kWaitRequired && !refused.about.empty()) json.Field("waitUrl", refused.about);
    if (refused.why == Refusal::kSoldOut) json.Field("mayReturn", refused.may_return);
  });
}

void WriteProblem(const std::vector<RefusedLine>& lines, const Request& request, Response& response) {
  const auto& first = lines.front().refused;
  response.extra_headers.clear();
  WriteBody(TextOf(first.why), DetailOf(first, request.language), response, [&](JsonWriter& json) {
    json.Array("errors", [&] {
      for (const auto& [line, refused] : lines) {
        json.Object([&] {
          json.Field("line", line);
          json.Field("code", TextOf(refused.why).code);
          if (refused.why == Refusal::kInvalidField) json.Field("field", FieldOf(refused));
          json.Field("detail", DetailOf(refused, request.language));
        });
      }
    });
  });
}

void WriteProblem(ServerProblem problem, Language language, Response& response) {
  const auto& text = TextOf(problem);
  response.extra_headers.clear();
  WriteBody(text, text.DetailIn(language), response, [](JsonWriter&) {});
}

const ProblemWriter& Problems() {
  struct Writer final : ProblemWriter {
    void Write(const Refused& refused, const Request& request, Response& response) const override {
      WriteProblem(refused, request, response);
    }
    void Write(ServerProblem problem, Language language, Response& response) const override {
      WriteProblem(problem, language, response);
    }
  };
  static const Writer writer;
  return writer;
}

std::string_view FieldOf(const Refused& refused) {
  return std::string_view(refused.about).substr(0, refused.about.find(':'));
}

}  // namespace maejin::http
