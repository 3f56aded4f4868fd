#include "http/waiting_room/gate_routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "http/cookies.h"
#include "http/entity_tag.h"
#include "http/problem.h"
#include "http/site_address.h"
#include "usecase/check_gate.h"
#include "usecase/return_to_site.h"

namespace maejin::http {
namespace {

struct Gate {
  explicit Gate(GateRoutes given) : routes(std::move(given)), check(routes.parts), back(routes.parts) {}
  GateRoutes routes;
  CheckGate check;
  ReturnToSite back;
};
using SharedGate = std::shared_ptr<const Gate>;

constexpr std::string_view kSecurePrefix = "__Host-";

std::string SiteCookie(std::string_view room) { return "maejin-" + std::string(room); }

std::string GatePassIn(const Request& request, std::string_view room) {
  const auto header = request.Header("X-Maejin-Pass");
  if (!header.empty()) return std::string(header);
  const auto cookies = request.Header("Cookie");
  const auto own = SiteCookie(room);
  auto found = FindCookie(cookies, std::string(kSecurePrefix) + own);
  if (found.empty()) found = FindCookie(cookies, own);
  if (found.empty()) found = FindCookie(cookies, "maejin_pass");
  return std::string(found);
}

std::string GateTokenIn(const Request& request) {
  const auto header = request.Header("X-Queue-Token");
  if (!header.empty()) return std::string(header);
  auto text = request.Query("token").value_or("");
  return text.empty() ? std::string(FindCookie(request.Header("Cookie"), "maejin_token")) : text;
}

// A script's request cannot follow a redirect to a page.
bool IsScript(const Request& request) {
  if (request.Header("X-Requested-With") == "XMLHttpRequest") return true;
  const auto mode = request.Header("Sec-Fetch-Mode");
  if (!mode.empty() && mode != "navigate") return true;
  const auto accept = request.Header("Accept");
  const bool json = accept.find("application/json") != std::string_view::npos ||
                    accept.find("application/problem+json") != std::string_view::npos;
  return json && accept.find("text/html") == std::string_view::npos;
}

// Writes the verdict as the gateway reads it.
void AnswerNginx(const GateVerdict& verdict, Response& response) { response.status = verdict.status; }

void AnswerEnvoy(const GateVerdict& verdict, Response& response) {
  response.status = verdict.status == 204 ? 200 : verdict.status == 503 ? 503 : 403;
}

void AnswerForward(const GateVerdict& verdict, const std::string& wait_url, const Request& request,
                   Response& response) {
  if (verdict.status == 204) return;
  if (IsScript(request)) return WriteProblem(Refused{Refusal::kWaitRequired, wait_url}, request, response);
  response.status = 303;
  response.AddHeader("Location", wait_url);
}

Task<Outcome<Done>> AskGate(const Gate* gate, const Request& request, Response& response) {
  const auto dialect = request.Query("as").value_or("nginx");
  if (dialect != "nginx" && dialect != "forward" && dialect != "envoy")
    co_return Refused{Refusal::kInvalidField, "as: must be nginx, forward or envoy"};
  GateQuestion question;
  question.room = request.Query("room").value_or(std::string(request.Header("X-Maejin-Room")));
  if (question.room.size() > kMaxRoomName) co_return Refused{Refusal::kRoomNotFound, question.room};
  question.pass = GatePassIn(request, question.room);
  question.token = GateTokenIn(request);
  const auto user = request.Header("X-User-Id");
  if (!user.empty()) question.user = UserId(user);
  const auto room = question.room.empty() ? RoomId(kMainRoom) : question.room;
  const auto verdict = co_await gate->check(std::move(question));
  if (verdict.status == 503 && dialect != "nginx") co_return Refusal::kUnavailable;
  std::string wait_url;
  if (verdict.status != 204)
    wait_url = WaitUrl(PublicOrigin(request, gate->routes.public_url), room, OriginalUrl(request));
  if (dialect == "nginx") AnswerNginx(verdict, response);
  if (dialect == "envoy") AnswerEnvoy(verdict, response);
  if (dialect == "forward") AnswerForward(verdict, wait_url, request, response);
  response.AddHeader("X-Maejin-Gate", verdict.reason);
  if (!wait_url.empty()) response.AddHeader("X-Maejin-Wait", wait_url);
  co_return Done{};
}

// The visitor's target on the site: `to`, or the path that the proxy forwarded, without the code.
Outcome<std::string> ReturnPathOf(const Request& request) {
  auto to = request.Query("to");
  if (!to) {
    const auto original = OriginalPath(request).value_or("/");
    const auto mark = std::min(original.find('?'), original.size());
    to = original.substr(0, mark) + WithoutParameter(original.substr(mark), "maejin_return");
  }
  auto path = LocalPath(*to);
  if (!path) return Refused{Refusal::kInvalidField, "to: must be a path of the site"};
  return std::move(*path);
}

std::string ReturnCodeIn(const Request& request) {
  if (auto code = request.Query("maejin_return")) return std::move(*code);
  const auto original = OriginalPath(request).value_or("");
  Request site;
  site.query = std::string_view(original).substr(std::min(original.find('?'), original.size()));
  if (site.query.starts_with('?')) site.query.remove_prefix(1);
  return site.Query("maejin_return").value_or("");
}

// The site of a client that calls maejin directly: such a request names no site, so the site is taken from
// the code. The cookie is then one of maejin's origin.
std::optional<std::string> SiteOfDirectCall(const Gate& gate, const Request& request, std::string_view code) {
  const auto host = "://" + std::string(request.Header("Host"));
  if (!gate.routes.own_url().ends_with(host) && !gate.routes.public_url.ends_with(host)) return {};
  const auto read = ReadReturnCode(gate.routes.parts.keys, code, gate.routes.parts.clock.Now());
  const auto origin = read ? ParseWebUrl(read->origin) : std::nullopt;
  if (!origin) return {};
  return origin->Authority();
}

Task<Outcome<Done>> ExchangeCode(const Gate* gate, const Request& request, Response& response) {
  const auto room = request.Query("room").value_or(kMainRoom);
  auto path = ReturnPathOf(request);
  if (!path.ok()) co_return path.error();
  auto sites = AuthoritiesOf(request);
  auto code = ReturnCodeIn(request);
  if (auto site = SiteOfDirectCall(*gate, request, code)) sites.push_back(std::move(*site));
  const auto exchanged = co_await gate->back.Exchange(room, std::move(code), std::move(sites));
  if (!exchanged.ok()) co_return exchanged.error();
  response.AddHeader("Set-Cookie",
                     fmt::format("{}{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}",
                                 exchanged->secure ? kSecurePrefix : "", SiteCookie(room), exchanged->pass,
                                 exchanged->max_age_seconds, exchanged->secure ? "; Secure" : ""));
  response.AddHeader("Referrer-Policy", "no-referrer");
  response.AddHeader("Location", *path);
  response.status = 303;
  co_return Done{};
}

Task<Outcome<Done>> ReadRevocations(const Gate* gate, const Request& request, Response& response) {
  const auto& parts = gate->routes.parts;
  const auto revoked = co_await parts.store.sites().Revocations(RoomId(request.params[0]), parts.clock.Now());
  if (!revoked.ok()) co_return revoked.error();
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("room", request.params[0]);
    json.Array("revoked", [&] {
      for (const auto& each : *revoked) json.Element(each.jti);
    });
  });
  const auto tag = fmt::format("\"{:x}\"", std::hash<std::string>{}(response.body));
  response.AddHeader("ETag", tag);
  response.cache = kShortly;
  if (MatchesTag(request.Header("If-None-Match"), tag)) {
    response.status = 304;
    response.body.clear();
  }
  co_return Done{};
}

template <class Function>
Handler BindGate(const SharedGate& gate, Function function) {
  return [gate, function](const Request& request, Response& response) {
    return function(gate.get(), request, response);
  };
}

}  // namespace

void AddGateRoutes(Router& router, GateRoutes routes) {
  const SharedGate gate = std::make_shared<const Gate>(std::move(routes));
  router.Add({.pattern = "/gate", .priority = Priority::kHold, .handler = BindGate(gate, AskGate)});
  router.Add(
      {.pattern = "/gate/return", .priority = Priority::kHold, .handler = BindGate(gate, ExchangeCode)});
  router.Add({.pattern = "/api/v1/rooms/{eventId}/revocations", .handler = BindGate(gate, ReadRevocations)});
}

}  // namespace maejin::http
