#include "http/admin/webhook_routes.h"

#include "base/json_writer.h"
#include "http/json_body.h"
#include "http/operator_route.h"
#include "http/parse_number.h"

namespace maejin::http {
namespace {

constexpr IntRange kTypesCount{1, 50};
constexpr TextRange kTypeLength{1, 64};
constexpr TextRange kUrlLength{1, 2000};
constexpr TextRange kDescriptionLength{.max = 500, .multiline = true};
constexpr IntRange kRates{1, kMaxWebhookRate};
constexpr std::int64_t kDefaultOverlapSeconds = 24 * 60 * 60;

Outcome<WebhookId> WebhookIdOf(const Request& request) {
  const auto id = ParseNumber(request.params[0]);
  if (!id) return Refused{Refusal::kWebhookNotFound, std::string(request.params[0])};
  return *id;
}

void WriteWebhook(std::string& out, const Webhook& webhook, bool with_secret = false) {
  const auto& progress = webhook.progress;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("id", webhook.id);
    json.Field("url", webhook.url);
    json.Array("types", [&] {
      for (const auto& type : webhook.types) json.Element(type);
    });
    json.Field("ratePerSecond", webhook.rate_per_second);
    json.Field("description", webhook.description);
    json.Field("status", webhook.active() ? "active" : "disabled");
    if (webhook.active()) {
      json.Null("disabledReason");
    } else {
      json.Field("disabledReason", progress.disabled);
    }
    json.Field("createdAt", webhook.created_at);
    json.Field("after", progress.cursor);
    json.Field("failedAttempts", progress.attempts);
    json.OptionalField("nextAttemptAt", progress.next_attempt_at);
    json.OptionalField("failingSince", progress.failing_since);
    json.OptionalField("previousSecretUntil", webhook.previous_until);
    if (with_secret) json.Field("secret", webhook.secret);
  });
}

Task<Outcome<Done>> PostWebhook(ManageWebhooks& manage, const Request& request, Response& response) {
  JsonBody body(request);
  auto& root = body.root();
  NewWebhook webhook;
  webhook.url = root.Text("url", kUrlLength);
  webhook.types = root.Texts("types", {0, kTypesCount.max}, kTypeLength);
  if (webhook.types.empty()) webhook.types = {"*"};
  webhook.rate_per_second = root.OptionalInt("ratePerSecond", kRates).value_or(kDefaultWebhookRate);
  webhook.description = root.OptionalText("description", kDescriptionLength).value_or("");
  webhook.after = root.OptionalInt("after", {0, INT64_MAX});
  if (auto refused = body.Finish()) co_return std::move(*refused);
  const auto made = co_await manage.Create(std::move(webhook));
  if (!made) co_return made.error();
  response.status = 201;
  WriteWebhook(response.body, *made, true);
  co_return Done{};
}

Task<Outcome<Done>> GetWebhooks(ManageWebhooks& manage, Response& response) {
  const auto all = co_await manage.List();
  if (!all) co_return all.error();
  response.body += "{\"webhooks\":[";
  for (const auto& webhook : *all) {
    if (&webhook != &all->front()) response.body += ',';
    WriteWebhook(response.body, webhook);
  }
  response.body += "]}";
  co_return Done{};
}

Task<Outcome<Done>> GetWebhook(ManageWebhooks& manage, const Request& request, Response& response) {
  const auto id = WebhookIdOf(request);
  if (!id) co_return id.error();
  const auto found = co_await manage.Find(*id);
  if (!found) co_return found.error();
  WriteWebhook(response.body, *found);
  co_return Done{};
}

Task<Outcome<Done>> PatchWebhook(ManageWebhooks& manage, const Request& request, Response& response) {
  const auto id = WebhookIdOf(request);
  if (!id) co_return id.error();
  JsonBody body(request);
  auto& root = body.root();
  WebhookPatch patch;
  patch.url = root.OptionalText("url", kUrlLength);
  if (root.Has("types")) patch.types = root.Texts("types", kTypesCount, kTypeLength);
  patch.rate_per_second = root.OptionalInt("ratePerSecond", kRates);
  patch.description = root.OptionalText("description", kDescriptionLength);
  if (const auto status = root.OptionalChoice("status", {"disabled", "active"})) patch.active = *status == 1;
  patch.after = root.OptionalInt("after", {0, INT64_MAX});
  if (auto refused = body.Finish()) co_return std::move(*refused);
  const auto changed = co_await manage.Change(*id, std::move(patch));
  if (!changed) co_return changed.error();
  WriteWebhook(response.body, *changed);
  co_return Done{};
}

Task<Outcome<Done>> DeleteWebhook(ManageWebhooks& manage, const Request& request, Response& response) {
  const auto id = WebhookIdOf(request);
  if (!id) co_return id.error();
  const auto removed = co_await manage.Remove(*id);
  if (!removed) co_return removed.error();
  response.status = 204;
  co_return Done{};
}

Task<Outcome<Done>> PostRotation(ManageWebhooks& manage, const Request& request, Response& response) {
  const auto id = WebhookIdOf(request);
  if (!id) co_return id.error();
  JsonBody body(request);
  const auto overlap = body.root().OptionalInt("overlapSeconds", {0, kMaxSecretOverlap.count()});
  if (auto refused = body.Finish()) co_return std::move(*refused);
  const auto rotated = co_await manage.Rotate(*id, Seconds(overlap.value_or(kDefaultOverlapSeconds)));
  if (!rotated) co_return rotated.error();
  WriteWebhook(response.body, *rotated, true);
  co_return Done{};
}

Task<Outcome<Done>> PostTest(ManageWebhooks& manage, const Request& request, Response& response) {
  const auto id = WebhookIdOf(request);
  if (!id) co_return id.error();
  const auto event = co_await manage.Test(*id);
  if (!event) co_return event.error();
  response.status = 202;
  JsonWriter json(response.body);
  json.Object([&] {
    json.OptionalField("eventId", *event);
    json.Field("type", "webhook.test");
  });
  co_return Done{};
}

Task<Outcome<Done>> GetDeliveries(ManageWebhooks& manage, const Request& request, Response& response) {
  const auto id = WebhookIdOf(request);
  if (!id) co_return id.error();
  const auto found = co_await manage.Find(*id);
  if (!found) co_return found.error();
  response.body += "{\"deliveries\":[";
  bool first = true;
  for (const auto line : NewestFirst(found->progress.recent)) {
    if (!std::exchange(first, false)) response.body += ',';
    response.body += line;
  }
  response.body += "]}";
  co_return Done{};
}

Task<Outcome<Done>> PostResend(ManageWebhooks& manage, const Request& request, Response& response) {
  const auto id = WebhookIdOf(request);
  if (!id) co_return id.error();
  const auto delivery = ParseNumber(request.params[1]);
  if (!delivery) co_return Refused{Refusal::kDeliveryNotFound, std::string(request.params[1])};
  const auto event = co_await manage.Resend(*id, *delivery);
  if (!event) co_return event.error();
  response.status = 202;
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("id", event->id);
    json.Field("eventId", event->id);
    json.Field("type", event->type);
  });
  co_return Done{};
}

}  // namespace

void AddWebhookRoutes(Router& router, ManageWebhooks& manage) {
  const auto add = [&](Method method, const char* pattern, auto handler) {
    AddOperatorRoute(router, method, pattern, [&manage, handler](const Request& request, Response& response) {
      return handler(manage, request, response);
    });
  };
  add(Method::kPost, "/api/v1/admin/webhooks", &PostWebhook);
  add(Method::kGet, "/api/v1/admin/webhooks",
      [](ManageWebhooks& all, const Request&, Response& response) { return GetWebhooks(all, response); });
  add(Method::kGet, "/api/v1/admin/webhooks/{id}", &GetWebhook);
  add(Method::kPatch, "/api/v1/admin/webhooks/{id}", &PatchWebhook);
  add(Method::kDelete, "/api/v1/admin/webhooks/{id}", &DeleteWebhook);
  add(Method::kPost, "/api/v1/admin/webhooks/{id}/test", &PostTest);
  add(Method::kPost, "/api/v1/admin/webhooks/{id}/rotate-secret", &PostRotation);
  add(Method::kGet, "/api/v1/admin/webhooks/{id}/deliveries", &GetDeliveries);
  add(Method::kPost, "/api/v1/admin/webhooks/{id}/deliveries/{deliveryId}/resend", &PostResend);
}

}  // namespace maejin::http
