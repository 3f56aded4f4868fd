#include "server/request_checks.h"

#include "base/log.h"
#include "server/admin_key.h"

namespace maejin::http {
namespace {

std::optional<Refused> CheckRole(Shared& shared, const Route& route, Request& request,
                                 OperatorIdentity identity) {
  request.actor = std::move(identity.actor);
  if (identity.role >= route.least_role) return {};
  shared.admin.CountForbidden();
  return Refused{Refusal::kForbidden, "role: must be " + std::string(Name(route.least_role)) +
                                          (route.least_role == OperatorRole::kOwner ? "" : " or higher")};
}

bool IsForOperators(const Route& route) {
  return route.access == Access::kAdmin || route.pattern == "/metrics";
}

std::optional<Refused> CheckAccess(Shared& shared, const Route& route, Request& request,
                                   std::chrono::steady_clock::time_point now) {
  if (route.access != Access::kAdmin) return {};
  const auto authorization = request.Header("Authorization");
  if (authorization.empty() && shared.find_session) {
    auto session = shared.find_session(request);
    if (session && !session->ok()) return session->error();
    if (session) return CheckRole(shared, route, request, std::move(**session));
  }
  OperatorIdentity identity;
  const auto verdict = shared.admin.Check(authorization, request.client, now, identity);
  if (verdict == AdminVerdict::kAccepted) return CheckRole(shared, route, request, std::move(identity));
  Refused refused(verdict == AdminVerdict::kRefused ? Refusal::kUnauthorized : Refusal::kTooManyRequests);
  refused.retry_after_seconds = AdminGate::kWindow.count();
  refused.quota = {.name = "admin-keys",
                   .limit = AdminGate::kAttempts,
                   .window_seconds = static_cast<std::uint32_t>(AdminGate::kWindow.count())};
  return refused;
}

// A reserved connection serves only some routes, and privileged clients. Precondition: CheckAccess() did not
// refuse the request.
bool MayServe(const Shared& shared, const ConnectionSlot& slot, const Route& route, const Request& request) {
  if (!slot.restricted() || route.access == Access::kAdmin || route.priority >= Priority::kHold) return true;
  return shared.is_privileged && shared.is_privileged(request);
}

}  // namespace

std::optional<Refused> FindRefusal(Shared& shared, const ListenerOptions& listener,
                                   const ConnectionSlot& slot, Exchange& exchange,
                                   std::chrono::steady_clock::time_point now) {
  const Route& route = *exchange.route;
  auto& request = exchange.request;
  const auto serves = listener.serves;
  if (serves == ListenerOptions::Serves::kRedirect) return Refusal::kNotFound;
  if (serves == ListenerOptions::Serves::kPublic && IsForOperators(route)) return Refusal::kNotFound;
  if (auto refused = CheckAccess(shared, route, request, now)) return refused;
  if (!MayServe(shared, slot, route, request)) {
    shared.metrics.refused_by_reserve.Add();
    return Refusal::kUnavailable;
  }
  if (!shared.shedding.Admits(route.priority)) {
    shared.metrics.shed.Add();
    return Refusal::kUnavailable;
  }
  return {};
}

bool CountStream(Shared& shared, const Request& request, std::vector<KeyedCount>& counts) {
  const auto limit = shared.options().streams_per_client;
  if (limit == 0) return true;
  // A client sends its token or user as a header, or in the query where it cannot set headers.
  const auto count = [&](char kind, std::string_view header, const char* query) {
    std::string value(header);
    if (value.empty() && query) value = request.Query(query).value_or("");
    if (value.empty()) return true;
    value += kind;  // a user and a token of the same text are counted apart
    return shared.streams.Take(std::hash<std::string>{}(value), limit, counts.emplace_back());
  };
  return count('t', request.Header("X-Queue-Token"), "token") &&
         count('u', request.Header("X-User-Id"), "userId") &&
         count('a', BearerToken(request.Header("Authorization")), nullptr);
}

Refused TooManyOfAddress(const Shared& shared) {
  return {Refusal::kTooManyRequests, Quota{.name = "connections", .limit = shared.limits.per_address()}};
}

Refused TooManyStreams(const Shared& shared) {
  return {Refusal::kTooManyRequests, Quota{.name = "streams", .limit = shared.options().streams_per_client}};
}

void AddAge(const Shared& shared, Response& response) {
  if (!shared.copy_age || (response.status != 200 && response.status != 304)) return;
  const auto age = shared.copy_age();
  if (age) response.AddHeader("Age", std::to_string(age->count()));
}

void AnswerWithError(const ProblemWriter& problems, Exchange& exchange, std::exception_ptr thrown) {
  const auto* pattern = exchange.route ? exchange.route->pattern.c_str() : "?";
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const std::bad_alloc&) {
    // Not formatted: there may be no memory for the text either.
    WriteLog(LogLevel::kError, "http: out of memory in a request");
    exchange.response.Clear();
    problems.Write(Refusal::kUnavailable, exchange.request, exchange.response);
    return;
  } catch (const std::exception& error) {
    LogError("http: {} threw: {} (request {})", pattern, error.what(), exchange.request.request_id);
  } catch (...) {
    LogError("http: {} threw an object that is not a std::exception", pattern);
  }
  exchange.response.Clear();
  problems.Write(ServerProblem::kInternalError, exchange.request.language, exchange.response);
}

}  // namespace maejin::http
