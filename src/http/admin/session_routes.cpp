#include "http/admin/session_routes.h"

#include "base/json_writer.h"
#include "base/log.h"
#include "domain/operator_role.h"
#include "http/operator_route.h"

namespace maejin::http {
namespace {

void WriteSession(const OperatorIdentity& identity, Time expires_at, Response& response) {
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("actor", identity.actor);
    json.Field("role", Name(identity.role));
    json.Field("expiresAt", expires_at);
  });
}

// Before this call the server has checked the key, and limited and logged wrong keys.
Task<Outcome<Done>> SignIn(ConsoleSessions& sessions, Counter& counter, const Request& request,
                           Response& response) {
  const auto session = sessions.Begin(request, BearerToken(request.Header("Authorization")), response);
  if (!session.ok()) co_return session.error();
  counter.Add();
  LogInfo("console: {} signed in from {}", session->identity.actor, request.client);
  WriteSession(session->identity, session->expires_at, response);
  co_return Done{};
}

Task<Outcome<Done>> ShowSession(const ConsoleSessions& sessions, const Request& request, Response& response) {
  const auto session = sessions.Find(request);
  if (!session) co_return Refused{Refusal::kNotFound, "session"};  // a key, and no session cookie
  if (!session->ok()) co_return session->error();
  WriteSession((*session)->identity, (*session)->expires_at, response);
  co_return Done{};
}

Task<Outcome<Done>> SignOut(ConsoleSessions& sessions, const Request& request, Response& response) {
  sessions.End(request, response);
  LogInfo("console: {} signed out", request.actor);
  response.status = 204;
  co_return Done{};
}

}  // namespace

void AddSessionRoutes(Router& router, ConsoleSessions& sessions, Metrics& metrics) {
  auto& counter = metrics.AddCounter("maejin_console_sign_ins_total", "Sessions begun in the console.");
  const auto add = [&](Method method, Handler handler) {
    AddOperatorRoute(router, method, "/api/v1/admin/session", std::move(handler));
  };
  add(Method::kPost, [&sessions, &counter](const Request& request, Response& response) {
    return SignIn(sessions, counter, request, response);
  });
  add(Method::kGet, [&sessions](const Request& request, Response& response) {
    return ShowSession(sessions, request, response);
  });
  add(Method::kDelete, [&sessions](const Request& request, Response& response) {
    return SignOut(sessions, request, response);
  });
}

}  // namespace maejin::http
