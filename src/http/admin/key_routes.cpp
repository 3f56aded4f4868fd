#include "http/admin/key_routes.h"

#include "base/json_writer.h"
#include "http/json_body.h"
#include "http/operator_route.h"

namespace maejin::http {
namespace {

constexpr TextRange kKeyNames = {.min = 1, .max = 64};

// The route takes no Idempotency-Key, because a stored answer would contain the new key in plain text.
Task<Outcome<Done>> PostKey(ManageKeys& keys, const Request& request, Response& response) {
  JsonBody body(request);
  auto name = body.root().Text("name", kKeyNames);
  const auto role = RoleOf(body.root().Text("role"));
  if (!role) body.root().Refuse("role", "must be viewer, box-office, operator or owner");
  const auto expires_at = body.root().OptionalInstant("expiresAt");
  if (auto refused = body.Finish()) co_return std::move(*refused);
  const auto made = co_await keys.Create(std::move(name), *role, expires_at, request.actor);
  if (!made) co_return made.error();
  response.status = 201;
  response.AddHeader("Location", "/api/v1/admin/keys/" + made->id);
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("id", made->id);
    json.Field("key", made->key);
  });
  co_return Done{};
}

Task<Outcome<Done>> GetKeys(ManageKeys& keys, Response& response) {
  const auto all = co_await keys.List();
  if (!all) co_return all.error();
  JsonWriter json(response.body);
  json.Object([&] {
    json.Array("keys", [&] {
      for (const auto& key : *all) {
        json.Object([&] {
          json.Field("id", key.id);
          json.Field("name", key.name);
          json.Field("role", Name(key.role));
          json.Field("createdAt", key.created_at);
          json.OptionalField("expiresAt", key.expires_at);
        });
      }
    });
  });
  co_return Done{};
}

Task<Outcome<Done>> DeleteKey(ManageKeys& keys, const Request& request, Response& response) {
  response.status = 204;
  co_return co_await keys.Delete(std::string(request.params[0]), request.actor);
}

}  // namespace

void AddKeyRoutes(Router& router, ManageKeys& keys) {
  const auto add = [&](Method method, const char* pattern, Handler handler) {
    AddOperatorRoute(router, method, pattern, std::move(handler));
  };
  add(Method::kPost, "/api/v1/admin/keys",
      [&keys](const Request& request, Response& response) { return PostKey(keys, request, response); });
  add(Method::kGet, "/api/v1/admin/keys",
      [&keys](const Request&, Response& response) { return GetKeys(keys, response); });
  add(Method::kDelete, "/api/v1/admin/keys/{id}",
      [&keys](const Request& request, Response& response) { return DeleteKey(keys, request, response); });
}

}  // namespace maejin::http
