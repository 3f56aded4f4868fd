#include "http/waiting_room/gate_routes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "http/cookies.h"
#include "http/counted_address.h"
#include "http/entity_tag.h"
#include "http/problem.h"
#include "http/queue_token.h"
#include "http/site_address.h"
#include "http/waiting_room/site_pass.h"
#include "usecase/check_gate.h"
#include "usecase/enter_room.h"
#include "usecase/rest_room.h"
#include "usecase/return_to_site.h"
#include "usecase/revoked_passes.h"

namespace maejin::http {
namespace {

struct Gate {
  explicit Gate(GateRoutes given)
      : routes(std::move(given)),
        check(routes.parts),
        enter(routes.parts),
        back(routes.parts),
        rest(routes.parts) {}
  GateRoutes routes;
  CheckGate check;
  EnterRoom enter;
  ReturnToSite back;
  RestRoom rest;
};
using SharedGate = std::shared_ptr<const Gate>;

std::string GateTokenIn(const Request& request) {
  auto text = QueueTokenIn(request);
  return text.empty() ? std::string(FindCookie(request.Header("Cookie"), "maejin_token")) : text;
}

// A script cannot show the page that a redirect leads to, so it gets a problem instead.
bool IsScript(const Request& request) {
  if (request.Header("X-Requested-With") == "XMLHttpRequest") return true;
  const auto mode = request.Header("Sec-Fetch-Mode");
  if (!mode.empty() && mode != "navigate") return true;
  const auto accept = request.Header("Accept");
  const bool json = accept.find("application/json") != std::string_view::npos ||
                    accept.find("application/problem+json") != std::string_view::npos;
  return json && !request.AcceptsHtml();
}

// The three functions below write the verdict in the form that a gateway reads.
void AnswerNginx(GateDecision decision, Response& response) {
  constexpr std::array kStatuses = {204, 401, 403, 503};  // by GateDecision
  response.status = kStatuses[static_cast<std::size_t>(decision)];
}

void AnswerEnvoy(GateDecision decision, Response& response) {
  response.status = decision == GateDecision::kPass ? 200 : 403;
}

void AnswerForward(GateDecision decision, const std::string& wait_url, const Request& request,
                   Response& response) {
  if (decision == GateDecision::kPass) return;
  if (IsScript(request)) return WriteProblem(Refused{Refusal::kWaitRequired, wait_url}, request, response);
  response.status = 303;
  response.AddHeader("Location", wait_url);
}

// Envoy appends the address that the visitor requested to the query of its own request to /gate.
constexpr std::string_view kOriginalMark = "&original=";

// The gateway's own request. The address that Envoy appended is cut off: the visitor wrote it, and it could
// contain parameters of the gate.
struct GateRequest {
  explicit GateRequest(const Request& asked) : request(asked) {
    const auto mark = request.query.find(kOriginalMark);
    if (mark == std::string_view::npos) return;
    if (request.through_trusted_proxy) original = request.query.substr(mark + kOriginalMark.size());
    request.query = request.query.substr(0, mark);
  }

  std::optional<std::string> Path() const {
    return original ? std::string(*original) : OriginalPath(request);
  }
  std::optional<std::string> Url() const {
    if (!original) return OriginalUrl(request);
    const auto origin = OriginOf(request);
    if (!origin) return {};
    return *origin + std::string(*original);
  }

  Request request;
  std::optional<std::string_view> original = {};
};

// True: the visitor is admitted, without waiting for the store. False: AskGate decides.
bool AdmitAtOnce(const Gate& gate, const Request& request, Response& response) {
  if (request.method != Method::kGet || request.query.find(kOriginalMark) != std::string_view::npos ||
      gate.routes.is_closed())
    return false;
  const auto dialect = request.Query("as");
  const bool forward = dialect == "forward";
  if (dialect && dialect != "nginx" && !forward) return false;
  if (forward && request.Header("X-Forwarded-Uri").find("maejin_return=") != std::string_view::npos)
    return false;
  const auto room = request.Query("room");
  if (!room || room->empty() || !request.Header("X-User-Id").empty()) return false;
  const auto pass = SitePassIn(request, *room);
  if (pass.empty() || !gate.check.AdmitsAtOnce(*room, pass)) return false;
  response.status = forward ? 200 : 204;
  response.AddHeader("X-Maejin-Gate", "ok");
  return true;
}

void SetSiteCookie(Response& response, std::string_view room, const ReturnToSite::Exchanged& session) {
  response.AddHeader("Set-Cookie",
                     fmt::format("{}{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}",
                                 session.secure ? kSecurePrefix : "", SiteCookie(room), session.pass,
                                 session.max_age_seconds, session.secure ? "; Secure" : ""));
}

// The path that the proxy forwarded, without the code.
std::string PathWithoutCode(const GateRequest& asked) {
  const auto original = asked.Path().value_or("/");
  const auto mark = std::min(original.find('?'), original.size());
  return original.substr(0, mark) + WithoutParameter(original.substr(mark), "maejin_return");
}

// The path on the site to which the visitor returns: `to`, or the path that the proxy forwarded, without the
// code.
Outcome<std::string> ReturnPathOf(const GateRequest& asked) {
  auto to = asked.request.Query("to");
  if (!to) to = PathWithoutCode(asked);
  auto path = LocalPath(*to);
  if (!path) return Refused{Refusal::kInvalidField, "to: must be a path of the site"};
  return std::move(*path);
}

std::string CodeInPath(const std::optional<std::string>& path) {
  if (!path || path->find("maejin_return=") == std::string::npos) return {};
  Request site;
  site.query = std::string_view(*path).substr(std::min(path->find('?'), path->size()));
  if (site.query.starts_with('?')) site.query.remove_prefix(1);
  return site.Query("maejin_return").value_or("");
}

std::string ReturnCodeIn(const GateRequest& asked) {
  if (auto code = asked.request.Query("maejin_return")) return std::move(*code);
  return CodeInPath(asked.Path());
}

// The site of a client that calls maejin without a gateway. Such a request names no site, so the site is
// taken from the code. The cookie then belongs to maejin's origin.
std::optional<std::string> SiteOfDirectCall(const Gate& gate, const Request& request, std::string_view code) {
  // A gateway names its site in X-Forwarded-Host, and the code must be for that site.
  if (request.through_trusted_proxy && !request.Header("X-Forwarded-Host").empty()) return {};
  const auto host = "://" + std::string(request.Header("Host"));
  if (!gate.routes.own_url().ends_with(host) && !gate.routes.public_url.ends_with(host)) return {};
  const auto read = ReadReturnCode(gate.routes.parts.keys, code, gate.routes.parts.clock.Now());
  const auto origin = read ? ParseWebUrl(read->origin) : std::nullopt;
  if (!origin) return {};
  return origin->Authority();
}

Task<Outcome<Done>> ExchangeCode(const Gate* gate, const GateRequest& asked, Response& response) {
  const auto& request = asked.request;
  const auto room = request.Query("room").value_or(kMainRoom);
  auto path = ReturnPathOf(asked);
  if (!path.ok()) co_return path.error();
  auto sites = AuthoritiesOf(request);
  auto code = ReturnCodeIn(asked);
  if (auto site = SiteOfDirectCall(*gate, request, code)) sites.push_back(std::move(*site));
  const auto exchanged = co_await gate->back.Exchange(room, std::move(code), std::move(sites));
  if (!exchanged.ok()) co_return exchanged.error();
  SetSiteCookie(response, room, *exchanged);
  response.AddHeader("Referrer-Policy", "no-referrer");
  response.AddHeader("Location", *path);
  response.status = 303;
  co_return Done{};
}

// The visitor comes back to the site with a code. If the code was used or has expired, the browser requests
// the path without the code, and the visitor's cookie decides.
Task<Outcome<Done>> ReturnThroughGateway(const Gate* gate, const GateRequest* asked, Response& response) {
  const auto exchanged = co_await ExchangeCode(gate, *asked, response);
  if (exchanged.ok() || exchanged.error() == Refusal::kUnavailable) co_return exchanged;
  const auto path = LocalPath(PathWithoutCode(*asked));
  response.status = 303;
  response.AddHeader("Referrer-Policy", "no-referrer");
  response.AddHeader("Location", path.value_or("/"));
  co_return Done{};
}

UserId NewVisitor() {
  SystemRandom random;
  return UserId("visitor-" + Id128::Random(random).ToString());
}

// Scripts and other programs often keep no cookie. So only a request of a browser for a page gets one.
bool WantsPage(const Request& request) { return request.AcceptsHtml() && !IsScript(request); }

void GiveCookie(const Gate& gate, std::string_view room, const Entered& entered, const Request& request,
                Response& response) {
  const auto left = entered.report.answer.standing.session_ends_at - gate.routes.parts.clock.Now();
  const bool secure = OriginOf(request).value_or("").starts_with("https:");
  const ReturnToSite::Exchanged session{*entered.pass, std::max<std::int64_t>(left / Seconds{1}, 1), secure};
  SetSiteCookie(response, room, session);
}

// A bypass lets this visitor in. The visitor gets a stay, and a cookie with its pass, so that it remains
// inside after the bypass. In a room for users it gets neither, and is let in only during the bypass.
Task<void> KeepBypassed(const Gate* gate, RoomId room, const Request& request, Response& response) {
  if (!WantsPage(request)) co_return;
  const auto site = co_await gate->back.Find(room);
  if (!site.ok() || (*site)->visitors != Visitors::kAnonymous) co_return;
  VisitorCommand visitor{room, NewVisitor(), {}};
  const auto entered = co_await gate->enter(std::move(visitor), true);
  if (entered.ok()) GiveCookie(*gate, room, *entered, request, response);
}

// A room in standby gives an unknown visitor a slot and the cookie at once.
Task<GateVerdict> AdmitResting(const Gate* gate, RoomId room, const Request& request, Response& response,
                               GateVerdict verdict) {
  if (!WantsPage(request)) co_return verdict;
  const auto site = co_await gate->back.Find(room);
  if (!site.ok() || !(*site)->standby || (*site)->visitors != Visitors::kAnonymous) co_return verdict;
  const auto entered = co_await gate->rest.Admit(room, NewVisitor(), CountedAddress(request));
  if (!entered.ok()) co_return verdict;
  GiveCookie(*gate, room, *entered, request, response);
  co_return GateVerdict{GateDecision::kPass, "standby"};
}

// The gate's verdict, and the cookie of a visitor that a bypass or a room in standby lets in.
Task<GateVerdict> Decide(const Gate* gate, RoomId room, GateQuestion question, const Request& request,
                         Response& response) {
  // Not 503: for nginx's auth_request that is a failure of the gate, which --on-gate-error admit lets pass.
  if (gate->routes.is_closed()) co_return GateVerdict{GateDecision::kNoProof, "maintenance"};
  auto verdict = co_await gate->check(std::move(question));
  if (verdict.decision == GateDecision::kNoProof || verdict.decision == GateDecision::kNotInside) {
    verdict = co_await AdmitResting(gate, room, request, response, verdict);
  }
  if (verdict.unknown) {
    co_await KeepBypassed(gate, room, request, response);
  }
  co_return verdict;
}

Task<Outcome<Done>> AskGate(const Gate* gate, const Request& whole, Response& response) {
  const GateRequest asked(whole);
  const auto& request = asked.request;
  const auto dialect = request.Query("as").value_or("nginx");
  if (dialect != "nginx" && dialect != "forward" && dialect != "envoy")
    co_return Refused{Refusal::kInvalidField, "as: must be nginx, forward or envoy"};
  if (dialect == "forward" && !CodeInPath(asked.Path()).empty()) {
    co_return co_await ReturnThroughGateway(gate, &asked, response);
  }
  GateQuestion question;
  question.room = request.Query("room").value_or(std::string(request.Header("X-Maejin-Room")));
  if (question.room.size() > kMaxRoomName) co_return Refused{Refusal::kRoomNotFound, question.room};
  question.pass = SitePassIn(request, question.room);
  question.token = GateTokenIn(request);
  const auto user = request.Header("X-User-Id");
  if (!user.empty()) question.user = UserId(user);
  const auto room = question.room.empty() ? RoomId(kMainRoom) : question.room;
  const auto verdict = co_await Decide(gate, room, std::move(question), request, response);
  if (verdict.decision == GateDecision::kUnavailable && dialect != "nginx") co_return Refusal::kUnavailable;
  std::string wait_url;
  if (verdict.decision != GateDecision::kPass)
    wait_url = WaitUrl(PublicOrigin(request, gate->routes.public_url), room, asked.Url());
  if (dialect == "nginx") AnswerNginx(verdict.decision, response);
  if (dialect == "envoy") AnswerEnvoy(verdict.decision, response);
  if (dialect == "forward") AnswerForward(verdict.decision, wait_url, request, response);
  response.AddHeader("X-Maejin-Gate", verdict.reason);
  if (!wait_url.empty()) response.AddHeader("X-Maejin-Wait", wait_url);
  co_return Done{};
}

Task<Outcome<Done>> ReturnWithCode(const Gate* gate, const Request& request, Response& response) {
  const GateRequest asked(request);
  co_return co_await ExchangeCode(gate, asked, response);
}

Task<Outcome<Done>> ReadRevocations(const Gate* gate, const Request& request, Response& response) {
  const auto ids = co_await RevokedPasses(gate->routes.parts, RoomId(request.params[0]));
  if (!ids.ok()) co_return ids.error();
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("room", request.params[0]);
    json.Array("revoked", [&] {
      for (const auto& id : *ids) json.Element(id);
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
  router.Add({.pattern = "/gate",
              .priority = Priority::kHold,
              .handler = BindGate(gate, AskGate),
              .inline_handler = [gate](const Request& request,
                                       Response& response) { return AdmitAtOnce(*gate, request, response); },
              .counts_for_address = false});
  // Envoy sends its request to /gate with the method of the visitor's request.
  for (const auto method : {Method::kPost, Method::kPut, Method::kPatch, Method::kDelete, Method::kOptions}) {
    router.Add({.method = method,
                .pattern = "/gate",
                .priority = Priority::kHold,
                .handler = BindGate(gate, AskGate),
                .counts_for_address = false});
  }
  router.Add(
      {.pattern = "/gate/return", .priority = Priority::kHold, .handler = BindGate(gate, ReturnWithCode)});
  router.Add({.pattern = "/api/v1/rooms/{eventId}/revocations", .handler = BindGate(gate, ReadRevocations)});
}

}  // namespace maejin::http
