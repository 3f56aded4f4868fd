#include "usecase/manage_webhooks.h"

#include <fmt/format.h>

#include "base/ids.h"

namespace maejin {
namespace {

constexpr Millis kTestEventWait{3'000};

}  // namespace

Outcome<Done> ManageWebhooks::CheckFeed(const std::vector<std::string>& types,
                                        std::optional<std::int64_t> after) const {
  const auto filter = EventFilter::Of(types);
  if (!filter) return filter.error();
  if (after && *after > parts_.feed.NewestAtOnce())
    return Refused{Refusal::kInvalidField, "after: must not be above the newest event"};
  return Done{};
}

Task<Outcome<Webhook>> ManageWebhooks::Create(NewWebhook webhook) {
  const auto checked = CheckFeed(webhook.types, webhook.after);
  if (!checked) co_return checked.error();
  const auto target = co_await parts_.client.CheckTarget(webhook.url);
  if (!target) co_return target.error();
  Webhook made;
  made.url = std::move(webhook.url);
  made.types = std::move(webhook.types);
  made.rate_per_second = webhook.rate_per_second;
  made.description = std::move(webhook.description);
  made.created_at = parts_.clock.Now();
  made.secret = NewWebhookSecret(parts_.random);
  made.progress.cursor = webhook.after.value_or(parts_.feed.NewestAtOnce());
  co_return co_await parts_.store.Create(std::move(made), Admin());
}

Task<Outcome<Webhook>> ManageWebhooks::Change(WebhookId id, WebhookPatch patch) {
  const auto checked = CheckFeed(patch.types.value_or(std::vector<std::string>()), patch.after);
  if (!checked) co_return checked.error();
  if (patch.url) {
    const auto target = co_await parts_.client.CheckTarget(*patch.url);
    if (!target) co_return target.error();
  }
  co_return co_await parts_.store.Change(id, std::move(patch), Admin());
}

Task<Outcome<Done>> ManageWebhooks::Remove(WebhookId id) { return parts_.store.Remove(id, Admin()); }

Task<Outcome<Webhook>> ManageWebhooks::Rotate(WebhookId id, Seconds overlap) {
  WebhookRotation rotation{NewWebhookSecret(parts_.random), parts_.clock.Now() + overlap};
  return parts_.store.Rotate(id, std::move(rotation), Admin());
}

Task<Outcome<std::optional<std::int64_t>>> ManageWebhooks::Test(WebhookId id) {
  EventQuery query;
  query.after = parts_.feed.NewestAtOnce();
  query.filter = EventFilter::Of({std::string(kWebhookTest)}).value();
  // A random id distinguishes the tests of one endpoint.
  auto data =
      fmt::format("{{\"webhookId\":{},\"testId\":\"{}\"}}", id, Id128::Random(parts_.random).ToString());
  const auto written = co_await parts_.store.Test(id, data, Admin());
  if (!written) co_return written.error();
  while (true) {
    const auto page = co_await parts_.read(query, kTestEventWait);
    if (!page) co_return page.error();
    if (page->events.empty()) co_return std::optional<std::int64_t>();
    for (const auto& event : page->events)
      if (EventDataIn(event.json) == data) co_return std::optional(event.id);
    query.after = page->next;
  }
}

Task<Outcome<Event>> ManageWebhooks::Resend(WebhookId id, std::int64_t event) {
  const auto webhook = co_await parts_.store.Find(id);
  if (!webhook) co_return webhook.error();
  if (!webhook->active()) co_return Refusal::kWebhookDisabled;
  EventQuery query;
  query.after = event - 1;
  query.limit = 1;
  const auto page = co_await parts_.feed.Read(std::move(query));
  if (!page) co_return page.error();
  const bool found = !page->events.empty() && page->events[0].id == event;
  if (!found || !IsFor(*webhook, page->events[0]))
    co_return Refused{Refusal::kDeliveryNotFound, std::to_string(event)};
  const auto added = co_await parts_.store.Resend(id, event, Admin());
  if (!added) co_return added.error();
  co_return page->events[0];
}

}  // namespace maejin
