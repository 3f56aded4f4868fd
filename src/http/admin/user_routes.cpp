#include "http/admin/user_routes.h"

#include "base/json_writer.h"
#include "domain/waiting_room/place_token.h"

namespace maejin::http {
namespace {

Task<Outcome<Done>> Erase(EraseUser& erase, const Request& request, Response& response) {
  const UserId user(request.params[0]);
  if (user.empty() || user.size() > kMaxUserId)
    co_return Refused{Refusal::kInvalidField, "id: must be 1…128 bytes"};
  const auto erased = co_await erase(user, request.actor);
  if (!erased) co_return erased.error();
  JsonWriter json(response.body);
  json.Object([&] { json.Field("reservations", *erased); });
  co_return Done{};
}

}  // namespace

void AddUserRoutes(Router& router, EraseUser& erase) {
  router.Add({.method = Method::kDelete,
              .pattern = "/api/v1/admin/users/{id}",
              .access = Access::kAdmin,
              .priority = Priority::kAlways,
              .handler = [&erase](const Request& request, Response& response) {
                return Erase(erase, request, response);
              }});
}

}  // namespace maejin::http
