#include "http/waiting_room/routes.h"

#include <charconv>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/take_until.h"
#include "http/callers.h"
#include "http/counted_address.h"
#include "http/entity_tag.h"
#include "http/json_body.h"
#include "http/problem.h"
#include "http/queue_token.h"
#include "http/visitor_cookie.h"
#include "http/waiting_room/json.h"
#include "http/waiting_room/patch.h"
#include "http/waiting_room/site_pass.h"
#include "usecase/bypass_room.h"
#include "usecase/configure_room.h"
#include "usecase/enter_room.h"
#include "usecase/join_room.h"
#include "usecase/leave_room.h"
#include "usecase/own_rooms.h"
#include "usecase/poll_room.h"
#include "usecase/read_room.h"
#include "usecase/return_to_site.h"

namespace maejin::http {
namespace {

// The use cases of the routes, alive as long as a route is.
struct Verbs {
  explicit Verbs(WaitingRoomRoutes routes)
      : deps(std::move(routes)),
        join(deps.parts),
        poll(deps.parts),
        enter(deps.parts),
        leave(deps.parts),
        read(deps.parts),
        configure(deps.parts),
        own(deps.parts),
        bypass(deps.parts),
        back(deps.parts) {}
  WaitingRoomRoutes deps;
  JoinRoom join;
  PollRoom poll;
  EnterRoom enter;
  LeaveRoom leave;
  ReadRoom read;
  ConfigureRoom configure;
  OwnRooms own;
  BypassRoom bypass;
  ReturnToSite back;
};
using SharedVerbs = std::shared_ptr<const Verbs>;

Outcome<std::optional<UserId>> UserIn(const Identity& identity, const Request& request,
                                      const std::optional<std::string>& in_body = {}) {
  if (in_body) return identity.Find(request, *in_body);
  if (!identity.trusted() || request.query.empty()) return identity.Find(request);
  const auto named = request.Query("userId");
  if (!named) return identity.Find(request);
  return identity.Find(request, *named);
}

Outcome<VisitorCommand> VisitorIn(const Identity& identity, const Request& request, std::string_view room,
                                  const std::optional<std::string>& in_body = {}) {
  auto user = UserIn(identity, request, in_body);
  if (!user.ok()) return user.error();
  return VisitorCommand{RoomId(room), std::move(*user), QueueTokenIn(request)};
}

// The `userId` of the body, if there is one.
Outcome<std::optional<std::string>> NamedIn(const Request& request) {
  if (request.body.empty()) return std::nullopt;
  JsonBody body(request);
  auto named = body.root().OptionalText("userId", {.min = 1, .max = kMaxUserId});
  if (auto refused = body.Finish()) return std::move(*refused);
  return named;
}

bool IsAnonymous(const Outcome<SharedSite>& site) {
  return site.ok() && *site && (*site)->visitors == Visitors::kAnonymous;
}

// Why a visitor has no user. While the room cannot be read it may be an anonymous one, which needs no user.
Refused WithoutUser(const Refused& refused, const Outcome<SharedSite>& site) {
  if (refused != Refusal::kUnauthorized || site.ok() || site.error() != Refusal::kUnavailable) return refused;
  return site.error();
}

// The user that a visitor of an anonymous room names or proves; absent: the visitor has none. If users are
// signed, a name without a proof is ignored.
Outcome<std::optional<UserId>> UserOfAnonymous(const Identity& identity, const Request& request,
                                               const std::optional<std::string>& named) {
  if (identity.trusted()) return UserIn(identity, request, named);
  if (request.Header("Authorization").empty()) return std::optional<UserId>{};
  return identity.Find(request);
}

// Joining.

// A visitor of an anonymous room without a user joins with the random id of its cookie.
Outcome<UserId> JoiningUser(const Identity& identity, const Request& request,
                            const std::optional<std::string>& named, bool anonymous, Response& response) {
  if (!anonymous) return identity.Require(request, named);
  auto user = UserOfAnonymous(identity, request, named);
  if (!user.ok()) return user.error();
  if (*user) return std::move(**user);
  // Otherwise another site could make each of its visitors take a place.
  if (request.from_other_site)
    return Refused{Refusal::kForbidden, "Origin: must be this server or one of http.cors-origins"};
  auto known = AnonymousIn(request);
  if (!known.empty()) return known;
  return NewAnonymous(request, response);
}

Task<Outcome<Done>> Join(const Verbs* verbs, const Request& request, Response& response) {
  const auto named = NamedIn(request);
  if (!named.ok()) co_return named.error();
  Outcome<SharedSite> site = verbs->back.FindAtOnce(request.params[0]);
  if (!*site) site = co_await verbs->back.Find(RoomId(request.params[0]));
  // An unknown room is not refused here: `join` refuses it.
  auto user = JoiningUser(verbs->deps.identity, request, *named, IsAnonymous(site), response);
  if (!user.ok()) co_return WithoutUser(user.error(), site);
  JoinRequest join{RoomId(request.params[0]), std::move(*user), CountedAddress(request)};
  const auto joined = co_await verbs->join(std::move(join));
  if (!joined.ok()) co_return joined.error();
  response.status = joined->report.answer.first ? 201 : 200;
  AppendPlace(joined->report, joined->token, response.body);
  co_return Done{};
}

// POST /queue/token joins the room `eventId`, or main: {token, position, expiresIn, status}. While the fan
// waits, expiresIn is the room's token TTL.
Task<Outcome<Done>> IssueQueueToken(const Verbs* verbs, const Request& request, Response& response) {
  JsonBody body(request);
  const auto named = body.root().OptionalText("userId", {.min = 1, .max = kMaxUserId});
  auto event = body.root().OptionalName("eventId", {.min = 1, .max = kMaxRoomName});
  if (const auto refused = body.Finish()) co_return *refused;
  auto user = verbs->deps.identity.Require(request, named);
  if (!user.ok()) co_return user.error();
  JoinRequest join{std::move(event).value_or(kMainRoom), std::move(*user), CountedAddress(request)};
  const auto joined = co_await verbs->join(std::move(join));
  if (!joined.ok()) co_return joined.error();
  const auto& standing = joined->report.answer.standing;
  const auto expires_in = joined->report.expires_in.value_or(joined->report.answer.token_ttl.count());
  // Before a draw a place has no position.
  std::string position = standing.rank ? std::to_string(*standing.rank + 1) : "null";
  if (standing.status == PlaceStatus::kEntered) position = "0";
  response.body = fmt::format(R"({{"token":"{}","position":{},"expiresIn":{},"status":"{}"}})", joined->token,
                              position, expires_in, Name(standing.status));
  co_return Done{};
}

// Polling.

bool PollAtOnce(const Verbs& verbs, const Request& request, Response& response) {
  const auto token = request.Header("X-Queue-Token");
  if (token.empty()) return false;
  const auto user = UserIn(verbs.deps.identity, request);
  if (!user.ok()) {
    WriteProblem(user.error(), request, response);
    return true;
  }
  const Visitor visitor{request.params[0], *user ? std::optional<std::string_view>(**user) : std::nullopt,
                        token};
  const auto report = verbs.poll.AtOnce(visitor);
  if (!report) return false;
  if (!report->ok()) {
    WriteProblem(report->error(), request, response);
    return true;
  }
  AppendPlace(**report, token, response.body);
  return true;
}

Task<Outcome<Done>> Poll(const Verbs* verbs, const Request& request, Response& response) {
  auto visitor = VisitorIn(verbs->deps.identity, request, request.params[0]);
  if (!visitor.ok()) co_return visitor.error();
  const auto report = co_await verbs->poll(std::move(*visitor));
  if (!report.ok()) co_return report.error();
  AppendPlace(report->report, report->token, response.body);
  co_return Done{};
}

// GET /queue/status: the room is the room of the token; without a valid token it is `eventId`, or main.
Task<Outcome<Done>> QueueStatus(const Verbs* verbs, const Request& request, Response& response) {
  auto visitor = VisitorIn(verbs->deps.identity, request, request.Query("eventId").value_or(kMainRoom));
  if (!visitor.ok()) co_return visitor.error();
  PlaceToken token;
  if (token.Read(verbs->deps.parts.keys, visitor->token)) visitor->room = token.place().room;
  const auto report = co_await verbs->poll(std::move(*visitor));
  if (!report.ok()) co_return report.error();
  AppendPlace(report->report, report->token, response.body);
  co_return Done{};
}

Outcome<Done> Listen(const Verbs& verbs, const Request& request, std::shared_ptr<EventStream> stream) {
  const auto visitor = VisitorIn(verbs.deps.identity, request, request.params[0]);
  if (!visitor.ok()) return visitor.error();
  auto last = std::string(request.Header("Last-Event-ID"));
  if (last.empty()) last = request.Query("lastEventId").value_or("");
  return verbs.deps.streams->Add(visitor->view(), last, std::move(stream));
}

// Entering and leaving.

// Whether the list of preferences has return=minimal (RFC 7240).
bool PrefersMinimal(const Request& request) {
  auto rest = request.Header("Prefer");
  while (!rest.empty()) {
    auto one = TakeUntil(rest, ',');
    auto name = TakeUntil(one, ';');
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == "return=minimal") return true;
  }
  return false;
}

struct EnterBody {
  std::optional<std::string> user;
  std::optional<std::string> return_to;
};
Outcome<EnterBody> EnterBodyIn(const Request& request) {
  EnterBody entering;
  if (request.body.empty()) return entering;
  JsonBody body(request);
  entering.user = body.root().OptionalText("userId", {.min = 1, .max = kMaxUserId});
  entering.return_to = body.root().OptionalText("return", {.min = 1, .max = kMaxUrl});
  if (auto refused = body.Finish()) return std::move(*refused);
  return entering;
}

// In an anonymous room the token is enough: only the visitor's own browser has it.
Outcome<VisitorCommand> EnteringVisitor(const Identity& identity, const Request& request,
                                        const std::optional<std::string>& named, bool anonymous) {
  const auto room = request.params[0];
  if (anonymous) {
    auto user = UserOfAnonymous(identity, request, named);
    if (!user.ok()) return user.error();
    auto token = QueueTokenIn(request);
    if (!*user && token.empty()) *user = AnonymousIn(request);
    if (*user && (*user)->empty()) return Refusal::kUnauthorized;
    return VisitorCommand{RoomId(room), std::move(*user), std::move(token)};
  }
  if (const auto user = FindBesideToken(identity, request, named); !user.ok()) return user.error();
  return VisitorIn(identity, request, room, named);
}

// Refuses a `return` address that the room does not allow.
Outcome<Done> CheckReturn(const Outcome<SharedSite>& site, const std::optional<std::string>& return_to) {
  if (!return_to) return Done{};
  if (!site.ok()) return site.error();
  const auto allowed = ReturnToSite::Target(**site, return_to);
  if (!allowed.ok()) return allowed.error();
  return Done{};
}

// The address on the site, with a return code. Empty: the request has no `return`.
std::string ReturnUrl(const Verbs& verbs, const Outcome<SharedSite>& site,
                      const std::optional<std::string>& return_to, std::string_view token_text) {
  PlaceToken token;
  if (!return_to || !token.Read(verbs.deps.parts.keys, token_text)) return {};
  const auto target = ReturnToSite::Target(**site, return_to);
  if (!target.ok() || !*target) return {};
  return verbs.back.UrlWithCode(ToPlaceRef(token.place()), **target);
}

// Thousands of these coroutines wait at once, so the frame is small: helpers have the locals that only one
// step needs.
Task<Outcome<Done>> Enter(const Verbs* verbs, const Request& request, Response& response) {
  const auto body = EnterBodyIn(request);
  if (!body.ok()) co_return body.error();
  Outcome<SharedSite> site = verbs->back.FindAtOnce(request.params[0]);
  if (!*site) site = co_await verbs->back.Find(RoomId(request.params[0]));
  auto visitor = EnteringVisitor(verbs->deps.identity, request, body->user, IsAnonymous(site));
  if (!visitor.ok()) co_return WithoutUser(visitor.error(), site);
  const auto allowed = CheckReturn(site, body->return_to);
  if (!allowed.ok()) co_return allowed.error();
  const auto entered = co_await verbs->enter(std::move(*visitor), !PrefersMinimal(request));
  if (!entered.ok()) co_return WithoutUser(entered.error(), site);
  AppendEntered(*entered, ReturnUrl(*verbs, site, body->return_to, entered->token), response.body);
  if (!entered->pass) response.AddHeader("Preference-Applied", "return=minimal");
  co_return Done{};
}

// The request names the place by token or user, or by the pass that the site's gateway forwards.
Task<Outcome<Done>> Leave(const Verbs* verbs, const Request& request, Response& response) {
  const bool by_header = !request.Header("X-Maejin-Pass").empty();
  auto visitor = VisitorIn(verbs->deps.identity, request, request.params[0]);
  if (!visitor.ok() && !by_header) co_return visitor.error();
  response.status = 204;
  const bool named = visitor.ok() && (visitor->user || !visitor->token.empty());
  const auto pass = SitePassIn(request, request.params[0]);
  if (!pass.empty() && (by_header || !named)) {
    co_return co_await verbs->leave.ByPass(RoomId(request.params[0]), std::string(pass));
  }
  co_return co_await verbs->leave(std::move(*visitor));
}

// Reads that need no user.

void AnswerServing(const maejin::Serving& serving, const Request& request, Response& response) {
  AppendServing(serving, response.body);
  char tag[24] = "\"";
  char* end =
      std::to_chars(tag + 1, tag + sizeof tag - 1, std::hash<std::string_view>{}(response.body), 16).ptr;
  *end++ = '"';
  const std::string_view etag(tag, static_cast<std::size_t>(end - tag));
  response.AddHeader("ETag", etag);
  response.cache = kShortly;
  if (MatchesTag(request.Header("If-None-Match"), etag)) {
    response.status = 304;
    response.body.clear();
  }
}

bool ServingAtOnce(const Verbs& verbs, const Request& request, Response& response) {
  const auto serving = verbs.read.ServingAtOnce(request.params[0]);
  if (!serving) return false;
  if (serving->ok()) {
    AnswerServing(**serving, request, response);
  } else {
    WriteProblem(serving->error(), request, response);
  }
  return true;
}

Task<Outcome<Done>> Serving(const Verbs* verbs, const Request& request, Response& response) {
  const auto serving = co_await verbs->read.ReadServing(RoomId(request.params[0]));
  if (!serving.ok()) co_return serving.error();
  AnswerServing(*serving, request, response);
  co_return Done{};
}

Task<Outcome<Done>> Shuffles(const Verbs* verbs, const Request& request, Response& response) {
  const auto room = co_await verbs->read(RoomId(request.params[0]));
  if (!room.ok()) co_return room.error();
  AppendShuffles(*room, response.body);
  co_return Done{};
}

// Operators.

Task<Outcome<Done>> ReadSettings(const Verbs* verbs, const Request& request, Response& response) {
  const auto room = co_await verbs->read(RoomId(request.params[0]));
  if (!room.ok()) co_return room.error();
  AppendRoom(*room, verbs->read.BypassedUntil(room->room), response.body);
  co_return Done{};
}

Task<Outcome<Done>> PutSettings(const Verbs* verbs, const Request& request, Response& response) {
  JsonBody body(request);
  auto patch = ReadRoomPatch(body.root(), request.params[0]);
  if (const auto refused = body.Finish()) co_return *refused;
  const auto room = co_await verbs->configure(RoomId(request.params[0]), std::move(patch), request.actor);
  if (!room.ok()) co_return room.error();
  AppendRoom(*room, verbs->read.BypassedUntil(room->room), response.body);
  co_return Done{};
}

Task<Outcome<Done>> CreateRoom(const Verbs* verbs, const Request& request, Response& response) {
  JsonBody body(request);
  auto id = body.root().Text("id", {.min = 1, .max = kMaxRoomName});
  auto patch = ReadRoomPatch(body.root(), id);
  if (const auto refused = body.Finish()) co_return *refused;
  const auto room = co_await verbs->own.Create(std::move(id), std::move(patch), request.actor);
  if (!room.ok()) co_return room.error();
  response.status = 201;
  AppendRoom(*room, verbs->read.BypassedUntil(room->room), response.body);
  co_return Done{};
}

Task<Outcome<Done>> DeleteRoom(const Verbs* verbs, const Request& request, Response& response) {
  response.status = 204;
  co_return co_await verbs->own.Delete(RoomId(request.params[0]), request.actor);
}

Task<Outcome<Done>> Revoke(const Verbs* verbs, const Request& request, Response& response) {
  JsonBody body(request);
  auto user = body.root().Text("userId", {.min = 1, .max = kMaxUserId});
  if (const auto refused = body.Finish()) co_return *refused;
  response.status = 204;
  co_return co_await verbs->configure.Revoke(RoomId(request.params[0]), std::move(user), request.actor);
}

Task<Outcome<Done>> StartBypass(const Verbs* verbs, const Request& request, Response& response) {
  JsonBody body(request);
  const auto minutes = body.root().Int("minutes", {.min = 1, .max = BypassRoom::kMaxMinutes});
  if (const auto refused = body.Finish()) co_return *refused;
  const auto ends_at = co_await verbs->bypass.Start(RoomId(request.params[0]), minutes, request.actor);
  if (!ends_at.ok()) co_return ends_at.error();
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("room", request.params[0]);
    json.Field("minutes", minutes);
    json.Field("bypassUntil", *ends_at);
  });
  co_return Done{};
}

Task<Outcome<Done>> EndBypass(const Verbs* verbs, const Request& request, Response& response) {
  response.status = 204;
  co_return co_await verbs->bypass.End(RoomId(request.params[0]), request.actor);
}

Task<Outcome<Done>> ListRooms(const Verbs* verbs, const Request&, Response& response) {
  response.body = R"({"rooms":[)";
  for (const auto& name : verbs->read.Rooms()) {
    const auto room = co_await verbs->read(name);
    if (!room.ok() && room.error() == Refusal::kRoomNotFound) continue;  // deleted since Rooms()
    if (!room.ok()) co_return room.error();
    if (response.body.back() != '[') response.body += ',';
    AppendRoom(*room, verbs->read.BypassedUntil(room->room), response.body);
  }
  response.body += "]}";
  co_return Done{};
}

Task<Outcome<Done>> RotateKeys(const Verbs* verbs, const Request& request, Response& response) {
  const auto rotated = co_await verbs->deps.rotate_keys(request.actor);
  if (!rotated.ok()) co_return rotated.error();
  response.body = verbs->deps.parts.keys.Jwks();
  co_return Done{};
}

template <class Function>
Handler BindVerb(const SharedVerbs& verbs, Function function) {
  return [verbs, function](const Request& request, Response& response) {
    return function(verbs.get(), request, response);
  };
}

void AddFanRoutes(Router& router, const SharedVerbs& verbs) {
  const auto once = [&](Handler handler) {
    return verbs->deps.idempotency.ForFans(CallerByUser(verbs->deps.identity), std::move(handler));
  };
  router.Add({.method = Method::kPost,
              .pattern = "/api/v1/rooms/{eventId}/entries",
              .priority = Priority::kJoin,
              .handler = [verbs, join = BindVerb(verbs, Join), join_once = once(BindVerb(verbs, Join))](
                             const Request& request, Response& response) {
                // An Idempotency-Key needs a caller, and this visitor has no user. The key is ignored:
                // joining again has no second effect.
                const bool nameless = IsAnonymous(verbs->back.FindAtOnce(request.params[0])) &&
                                      !verbs->deps.identity.trusted() &&
                                      request.Header("Authorization").empty();
                return nameless ? join(request, response) : join_once(request, response);
              }});
  Route poll{.pattern = "/api/v1/rooms/{eventId}/entries/me", .handler = BindVerb(verbs, Poll)};
  if (verbs->deps.parts.store.AnswersAtOnce()) {
    poll.inline_handler = [verbs](const Request& request, Response& response) {
      return PollAtOnce(*verbs, request, response);
    };
  }
  router.Add(std::move(poll));
  router.Add({.method = Method::kDelete,
              .pattern = "/api/v1/rooms/{eventId}/entries/me",
              .priority = Priority::kHold,
              .handler = BindVerb(verbs, Leave)});
  router.Add({.method = Method::kPost,
              .pattern = "/api/v1/rooms/{eventId}/enter",
              .priority = Priority::kHold,
              .handler = BindVerb(verbs, Enter)});
  router.Add({.method = Method::kPost,
              .pattern = "/queue/token",
              .priority = Priority::kJoin,
              .handler = once(BindVerb(verbs, IssueQueueToken))});
  if (verbs->deps.streams) {
    router.Add({.pattern = "/api/v1/rooms/{eventId}/stream",
                .stream = [verbs](const Request& request, std::shared_ptr<EventStream> stream) {
                  return Listen(*verbs, request, std::move(stream));
                }});
  }
  router.Add({.pattern = "/queue/status", .handler = BindVerb(verbs, QueueStatus)});
}

void AddPublicRoutes(Router& router, const SharedVerbs& verbs) {
  router.Add({.pattern = "/api/v1/rooms/{eventId}/serving",
              .handler = BindVerb(verbs, Serving),
              .inline_handler = [verbs](const Request& request, Response& response) {
                return ServingAtOnce(*verbs, request, response);
              }});
  router.Add({.pattern = "/api/v1/rooms/{eventId}/shuffle", .handler = BindVerb(verbs, Shuffles)});
  router.Add(
      {.pattern = "/.well-known/jwks.json", .inline_handler = [verbs](const Request&, Response& response) {
         response.body = verbs->deps.parts.keys.Jwks();
         response.cache = "public, max-age=300";
         return true;
       }});
}

void AddOperatorRoutes(Router& router, const SharedVerbs& verbs) {
  const auto add = [&](Method method, std::string pattern, Handler handler) {
    router.Add({.method = method,
                .pattern = std::move(pattern),
                .access = Access::kAdmin,
                .priority = Priority::kAlways,
                .handler = std::move(handler)});
  };
  add(Method::kGet, "/api/v1/rooms", BindVerb(verbs, ListRooms));
  add(Method::kGet, "/api/v1/rooms/{eventId}", BindVerb(verbs, ReadSettings));
  add(Method::kPost, "/api/v1/rooms", BindVerb(verbs, CreateRoom));
  add(Method::kPut, "/api/v1/rooms/{eventId}", BindVerb(verbs, PutSettings));
  add(Method::kPatch, "/api/v1/rooms/{eventId}", BindVerb(verbs, PutSettings));
  add(Method::kDelete, "/api/v1/rooms/{eventId}", BindVerb(verbs, DeleteRoom));
  add(Method::kPost, "/api/v1/rooms/{eventId}/revocations", BindVerb(verbs, Revoke));
  add(Method::kPost, "/api/v1/admin/rooms/{id}/bypass", BindVerb(verbs, StartBypass));
  add(Method::kDelete, "/api/v1/admin/rooms/{id}/bypass", BindVerb(verbs, EndBypass));
  if (verbs->deps.rotate_keys) add(Method::kPost, "/api/v1/admin/keys/rotate", BindVerb(verbs, RotateKeys));
}

}  // namespace

void AddWaitingRoomRoutes(Router& router, WaitingRoomRoutes routes) {
  const SharedVerbs verbs = std::make_shared<const Verbs>(std::move(routes));
  AddFanRoutes(router, verbs);
  AddPublicRoutes(router, verbs);
  AddOperatorRoutes(router, verbs);
}

}  // namespace maejin::http
