#include "adapters/embedded/webhook_store.h"

#include <algorithm>

#include "store/webhook_audit.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPutWebhook{
    "INSERT OR REPLACE INTO webhooks (id, url, types, rate_per_second, description, created_at, secret, "
    "previous_secret, previous_until, after_id, attempts, next_attempt_at, failing_since, recent, disabled) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
constexpr Sql kRemoveWebhook{"DELETE FROM webhooks WHERE id = ?"};
constexpr Sql kPutResend{"INSERT INTO webhook_resends (id, webhook_id, event_id) VALUES (?, ?, ?)"};
constexpr Sql kRemoveResend{"DELETE FROM webhook_resends WHERE id = ?"};
constexpr Sql kRemoveResends{"DELETE FROM webhook_resends WHERE webhook_id = ?"};

// The maximum of waiting resends, over all endpoints.
constexpr std::size_t kMaxResends = 10'000;

void PutWebhook(WriteSet& rows, const Webhook& webhook) {
  const auto& progress = webhook.progress;
  rows.Add(kPutWebhook).Int(webhook.id).Text(webhook.url).Text(JoinTypes(webhook.types));
  rows.Int(webhook.rate_per_second).Text(webhook.description).At(webhook.created_at).Text(webhook.secret);
  rows.Text(webhook.previous_secret).OptionalAt(webhook.previous_until).Int(progress.cursor);
  rows.Int(progress.attempts).OptionalAt(progress.next_attempt_at).OptionalAt(progress.failing_since);
  rows.Text(progress.recent).Text(progress.disabled);
}

std::optional<Time> AtOf(const Statement& row, int column) {
  const auto millis = row.OptionalInt(column);
  if (!millis) return {};
  return TimeFromMillis(*millis);
}

Webhook WebhookOf(const Statement& row) {
  Webhook webhook;
  webhook.id = row.Int(0);
  webhook.url = row.Text(1);
  webhook.types = SplitTypes(row.Text(2));
  webhook.rate_per_second = row.Int(3);
  webhook.description = row.Text(4);
  webhook.created_at = TimeFromMillis(row.Int(5));
  webhook.secret = row.Text(6);
  webhook.previous_secret = row.Text(7);
  webhook.previous_until = AtOf(row, 8);
  webhook.progress = {row.Int(9),
                      row.Int(10),
                      AtOf(row, 11),
                      AtOf(row, 12),
                      std::string(row.Text(13)),
                      std::string(row.Text(14))};
  return webhook;
}

}  // namespace

EmbeddedWebhookStore::EmbeddedWebhookStore(Connection& connection, Journal& journal, AuditLog& audit)
    : journal_(journal), audit_(audit) {
  auto rows = connection.Prepare(
      "SELECT id, url, types, rate_per_second, description, created_at, secret, previous_secret, "
      "previous_until, after_id, attempts, next_attempt_at, failing_since, recent, disabled FROM webhooks");
  while (rows.Step()) {
    auto webhook = WebhookOf(rows);
    webhooks_.emplace(webhook.id, std::move(webhook));
  }
  // Ids of removed endpoints are not used again.
  auto last = connection.Prepare("SELECT seq FROM sqlite_sequence WHERE name = 'webhooks'");
  if (last.Step()) next_id_ = last.Int(0) + 1;
  auto resends = connection.Prepare("SELECT id, webhook_id, event_id FROM webhook_resends ORDER BY id");
  while (resends.Step()) resends_.push_back({resends.Int(0), resends.Int(1), resends.Int(2)});
  if (!resends_.empty()) next_resend_ = resends_.back().id + 1;
}

template <class T>
Task<Outcome<T>> EmbeddedWebhookStore::WhenDurable(T value, Ticket ticket) {
  const auto committed = co_await journal_.Committed(ticket);
  if (!committed) co_return committed.error();
  co_return value;
}

template <class Decide>
Task<Outcome<Webhook>> EmbeddedWebhookStore::Transit(WebhookId id, Operator actor, Decide change) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Webhook changed;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = webhooks_.find(id);
    if (found == webhooks_.end()) co_return Refused{Refusal::kWebhookNotFound, std::to_string(id)};
    WriteSet rows;
    Outcome<Action> action = change(found->second, rows);
    if (!action) co_return action.error();
    changed = found->second;
    const auto subject = AuditSubject(changed);
    ticket = audit_.Append(rows, {actor.at, actor.name, action->name, subject, action->detail}, {},
                           std::move(action->drafts));
  }
  co_return co_await WhenDurable(std::move(changed), ticket);
}

Task<Outcome<Webhook>> EmbeddedWebhookStore::Create(Webhook webhook, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (webhooks_.size() >= kMaxWebhooks) co_return Refusal::kTooManyWebhooks;
    webhook.id = next_id_++;
    webhooks_.emplace(webhook.id, webhook);
    WriteSet rows;
    PutWebhook(rows, webhook);
    const auto subject = AuditSubject(webhook);
    const auto detail = DescribeWebhook(webhook);
    ticket = audit_.Append(rows, {actor.at, actor.name, "webhook.create", subject, detail});
  }
  co_return co_await WhenDurable(std::move(webhook), ticket);
}

Task<Outcome<std::vector<Webhook>>> EmbeddedWebhookStore::List() {
  const std::lock_guard lock(mutex_);
  std::vector<Webhook> all;
  for (const auto& [id, webhook] : webhooks_) all.push_back(webhook);
  co_return all;
}

Task<Outcome<Webhook>> EmbeddedWebhookStore::Find(WebhookId id) {
  const std::lock_guard lock(mutex_);
  const auto found = webhooks_.find(id);
  if (found == webhooks_.end()) co_return Refused{Refusal::kWebhookNotFound, std::to_string(id)};
  co_return found->second;
}

Task<Outcome<Webhook>> EmbeddedWebhookStore::Change(WebhookId id, WebhookPatch patch, Operator actor) {
  auto change = [patch = std::move(patch)](Webhook& webhook, WriteSet& rows) -> Outcome<Action> {
    if (Apply(webhook, patch)) ++webhook.lease;
    PutWebhook(rows, webhook);
    return Action{"webhook.change", Describe(patch)};
  };
  return Transit(id, std::move(actor), std::move(change));
}

Task<Outcome<Done>> EmbeddedWebhookStore::Remove(WebhookId id, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = webhooks_.find(id);
    if (found == webhooks_.end()) co_return Refused{Refusal::kWebhookNotFound, std::to_string(id)};
    WriteSet rows;
    rows.Add(kRemoveWebhook).Int(id);
    rows.Add(kRemoveResends).Int(id);
    const auto subject = AuditSubject(found->second);
    const auto detail = DescribeWebhook(found->second);
    ticket = audit_.Append(rows, {actor.at, actor.name, "webhook.remove", subject, detail});
    webhooks_.erase(found);
    std::erase_if(resends_, [id](const WebhookResend& resend) { return resend.webhook == id; });
  }
  co_return co_await WhenDurable(Done(), ticket);
}

Task<Outcome<Webhook>> EmbeddedWebhookStore::Rotate(WebhookId id, WebhookRotation rotation, Operator actor) {
  auto change = [rotation = std::move(rotation)](Webhook& webhook, WriteSet& rows) -> Outcome<Action> {
    webhook.previous_secret = std::exchange(webhook.secret, rotation.secret);
    webhook.previous_until = rotation.previous_until;
    PutWebhook(rows, webhook);
    return Action{"webhook.rotate-secret"};
  };
  return Transit(id, std::move(actor), std::move(change));
}

Task<Outcome<Done>> EmbeddedWebhookStore::Test(WebhookId id, std::string data, Operator actor) {
  auto change = [data = std::move(data), at = actor.at](Webhook& webhook, WriteSet&) -> Outcome<Action> {
    if (!webhook.active()) return Refusal::kWebhookDisabled;
    return Action{"webhook.test", "", {TestEvent(webhook, data, at)}};
  };
  const auto changed = co_await Transit(id, std::move(actor), std::move(change));
  if (!changed) co_return changed.error();
  co_return Done{};
}

Task<Outcome<Done>> EmbeddedWebhookStore::Resend(WebhookId id, std::int64_t event, Operator actor) {
  auto change = [this, event](Webhook& webhook, WriteSet& rows) -> Outcome<Action> {
    if (!webhook.active()) return Refusal::kWebhookDisabled;
    if (resends_.size() >= kMaxResends)
      return Refused{Refusal::kTooManyRequests, Quota{.name = "webhook-resends", .limit = kMaxResends}};
    resends_.push_back({next_resend_++, webhook.id, event});
    rows.Add(kPutResend).Int(resends_.back().id).Int(webhook.id).Int(event);
    return Action{"webhook.resend", "{\"eventId\":" + std::to_string(event) + "}"};
  };
  const auto changed = co_await Transit(id, std::move(actor), std::move(change));
  if (!changed) co_return changed.error();
  co_return Done{};
}

Task<Outcome<LeasedWebhooks>> EmbeddedWebhookStore::Lease(std::string, Millis) {
  const std::lock_guard lock(mutex_);
  LeasedWebhooks leased;
  for (const auto& [id, webhook] : webhooks_)
    if (webhook.active()) leased.webhooks.push_back(webhook);
  leased.resends = resends_;
  co_return leased;
}

// Does not wait for the disk: after a crash some events are sent again.
Task<Outcome<bool>> EmbeddedWebhookStore::Save(WebhookId id, std::int64_t lease, WebhookProgress progress,
                                               Time now) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const std::lock_guard lock(mutex_);
  const auto found = webhooks_.find(id);
  if (found == webhooks_.end() || found->second.lease != lease) co_return false;
  auto& webhook = found->second;
  webhook.progress = std::move(progress);
  WriteSet rows;
  PutWebhook(rows, webhook);
  if (webhook.active()) {
    journal_.Append(rows, {}, Journal::WriteTiming::kBatched);
    co_return true;
  }
  const auto subject = AuditSubject(webhook);
  const auto detail = "{\"reason\":\"" + webhook.progress.disabled + "\"}";
  audit_.Append(rows, {now, "maejin", "webhook.disable", subject, detail});
  co_return true;
}

Task<Outcome<Done>> EmbeddedWebhookStore::FinishResend(std::int64_t resend) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const std::lock_guard lock(mutex_);
  std::erase_if(resends_, [resend](const WebhookResend& each) { return each.id == resend; });
  WriteSet rows;
  rows.Add(kRemoveResend).Int(resend);
  journal_.Append(rows, {}, Journal::WriteTiming::kBatched);
  co_return Done{};
}

}  // namespace maejin::embedded
