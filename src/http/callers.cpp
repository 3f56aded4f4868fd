#include "http/callers.h"

#include <boost/json/parse.hpp>

#include "domain/waiting_room/place_token.h"
#include "http/queue_token.h"

namespace maejin::http {
namespace {

// A body that is not an object, or whose userId is not a text, names no user here; the handler refuses it.
std::optional<std::string> UserInBody(std::string_view body) {
  boost::system::error_code error;
  boost::json::parse_options options;
  options.max_depth = 16;
  const auto value = boost::json::parse(body, error, {}, options);
  if (error || !value.is_object()) return {};
  const auto* user = value.get_object().if_contains("userId");
  if (!user || !user->is_string()) return {};
  return std::string(user->get_string());
}

Outcome<std::optional<UserId>> UserOf(const Identity& identity, const Request& request) {
  auto named = UserInBody(request.body);
  if (!named) named = request.Query("userId");
  if (!named) return identity.Find(request);
  return identity.Find(request, *named);
}

std::string Named(std::string_view kind, std::string_view name) {
  return std::string(kind).append(" ").append(std::to_string(name.size())).append(" ").append(name);
}

}  // namespace

CallerOf CallerByUser(const Identity& identity) {
  return [&identity](const Request& request) -> Outcome<std::string> {
    const auto named = UserInBody(request.body);
    const auto user = named ? identity.Require(request, *named) : identity.Require(request);
    if (!user.ok()) return user.error();
    return Named("user", *user);
  };
}

CallerOf CallerByUserOrQueueToken(const Identity& identity, const KeyRing& keys) {
  return [&identity, &keys](const Request& request) -> Outcome<std::string> {
    const auto user = UserOf(identity, request);
    if (!user.ok()) return user.error();
    if (!*user && !identity.trusted()) return Refusal::kUnauthorized;
    std::string caller;
    if (*user) caller = Named("user", **user);
    const auto text = QueueTokenIn(request);
    if (!text.empty()) {
      PlaceToken token;
      if (!token.Read(keys, text)) return Refusal::kTokenInvalid;
      caller += Named("room", token.place().room);
      caller += Named("place", token.place().user);
    }
    if (caller.empty()) {
      return Refused{Refusal::kUnauthorized, "an Idempotency-Key needs a user or X-Queue-Token"};
    }
    return caller;
  };
}

CallerOf CallerByUserOrReservation(const Identity& identity) {
  return [&identity](const Request& request) -> Outcome<std::string> {
    const auto user = UserOf(identity, request);
    if (!user.ok()) return user.error();
    if (*user) return Named("user", **user);
    if (!identity.trusted()) return Refusal::kUnauthorized;
    return Named("reservation", request.params[0]);
  };
}

}  // namespace maejin::http
