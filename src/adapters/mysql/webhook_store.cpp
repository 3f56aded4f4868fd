#include "adapters/mysql/webhook_store.h"

#include <functional>

#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/event_rows.h"
#include "store/webhook_audit.h"

namespace maejin::mysql {
namespace {

constexpr std::int64_t kMaxResends = 10'000;

#define MAEJIN_WEBHOOK_COLUMNS                                                                        \
  "SELECT id, url, types, rate_per_second, description, created_at, secret, previous_secret, "        \
  "previous_until, after_id, attempts, next_attempt_at, failing_since, recent, disabled, lease FROM " \
  "webhooks "
constexpr char kAllWebhooks[] = MAEJIN_WEBHOOK_COLUMNS "ORDER BY id";
constexpr char kOneWebhook[] = MAEJIN_WEBHOOK_COLUMNS "WHERE id = ?";
constexpr char kLockWebhook[] = MAEJIN_WEBHOOK_COLUMNS "WHERE id = ? FOR UPDATE";
constexpr char kOwnWebhooks[] = MAEJIN_WEBHOOK_COLUMNS
    "WHERE sender = ? AND disabled = '' AND leased_until > UTC_TIMESTAMP(3) ORDER BY id";
#undef MAEJIN_WEBHOOK_COLUMNS

Webhook WebhookOf(const Rows& row) {
  Webhook webhook;
  webhook.id = row.Int(0);
  webhook.url = row.Text(1);
  webhook.types = SplitTypes(row.Text(2));
  webhook.rate_per_second = row.Int(3);
  webhook.description = row.Text(4);
  webhook.created_at = row.At(5);
  webhook.secret = row.Text(6);
  webhook.previous_secret = row.Text(7);
  webhook.previous_until = row.OptionalAt(8);
  webhook.progress = {row.Int(9),
                      row.Int(10),
                      row.OptionalAt(11),
                      row.OptionalAt(12),
                      std::string(row.Text(13)),
                      std::string(row.Text(14))};
  webhook.lease = row.Int(15);
  return webhook;
}

Outcome<Webhook> ReadWebhook(Connection& connection, const char* sql, WebhookId id) {
  auto row = connection.Query(sql, id);
  if (!row.Next()) return Refused{Refusal::kWebhookNotFound, std::to_string(id)};
  return WebhookOf(row);
}

void WriteWebhook(Connection& connection, const Webhook& webhook) {
  const auto types = JoinTypes(webhook.types);
  const auto& progress = webhook.progress;
  connection.Execute(
      "UPDATE webhooks SET url = ?, types = ?, rate_per_second = ?, description = ?, secret = ?, "
      "previous_secret = ?, previous_until = ?, after_id = ?, attempts = ?, next_attempt_at = ?, "
      "failing_since = ?, disabled = ? WHERE id = ?",
      webhook.url, types, webhook.rate_per_second, webhook.description, webhook.secret,
      webhook.previous_secret, webhook.previous_until, progress.cursor, progress.attempts,
      progress.next_attempt_at, progress.failing_since, progress.disabled, webhook.id);
}

// An operator's action on an endpoint.
struct WebhookAction {
  const char* name;
  std::string detail = {};
};

// Reads the endpoint under a lock, changes it, and adds the audit row. If the answer to COMMIT is lost, the
// next attempt repeats the change. Each change is idempotent, but its audit row may occur twice.
using WebhookChange = std::function<Outcome<WebhookAction>(Connection&, Webhook&)>;
Task<Outcome<Webhook>> ChangeWebhook(Pool& pool, WebhookId id, Operator actor, WebhookChange change) {
  return pool.Write([id, actor = std::move(actor), change = std::move(change)](
                        Connection& connection, const Attempt&) -> Outcome<Webhook> {
    auto webhook = ReadWebhook(connection, kLockWebhook, id);
    if (!webhook) return webhook;
    const auto action = change(connection, *webhook);
    if (!action) return action.error();
    AppendAudit(connection, {actor.at, actor.name, action->name, AuditSubject(*webhook), action->detail});
    return webhook;
  });
}

}  // namespace

Task<Outcome<Webhook>> MysqlWebhookStore::Create(Webhook webhook, Operator actor) {
  return pool_.Write([webhook = std::move(webhook), actor = std::move(actor)](
                         Connection& connection, const Attempt& attempt) -> Outcome<Webhook> {
    auto made = webhook;
    if (attempt.commit_unknown) {
      // The secret is random, so an endpoint with this secret was created by an earlier attempt.
      auto row = connection.Query("SELECT id FROM webhooks WHERE secret = ? FOR UPDATE", made.secret);
      if (row.Next()) {
        made.id = row.Int(0);
        return made;
      }
    }
    {
      auto count = connection.Query("SELECT COUNT(*) FROM webhooks");
      count.Next();
      if (count.Int(0) >= static_cast<std::int64_t>(kMaxWebhooks)) return Refusal::kTooManyWebhooks;
    }
    const auto types = JoinTypes(made.types);
    connection.Execute(
        "INSERT INTO webhooks (url, types, rate_per_second, description, created_at, secret, "
        "previous_secret, after_id, attempts, recent, disabled) VALUES (?, ?, ?, ?, ?, ?, '', ?, 0, '', '')",
        made.url, types, made.rate_per_second, made.description, made.created_at, made.secret,
        made.progress.cursor);
    made.id = connection.LastInsertId();
    AppendAudit(connection,
                {actor.at, actor.name, "webhook.create", AuditSubject(made), DescribeWebhook(made)});
    return made;
  });
}

Task<Outcome<std::vector<Webhook>>> MysqlWebhookStore::List() {
  return pool_.Read([](Connection& connection) -> Outcome<std::vector<Webhook>> {
    std::vector<Webhook> all;
    auto rows = connection.Query(kAllWebhooks);
    while (rows.Next()) all.push_back(WebhookOf(rows));
    return all;
  });
}

Task<Outcome<Webhook>> MysqlWebhookStore::Find(WebhookId id) {
  return pool_.Read([id](Connection& connection) { return ReadWebhook(connection, kOneWebhook, id); });
}

Task<Outcome<Webhook>> MysqlWebhookStore::Change(WebhookId id, WebhookPatch patch, Operator actor) {
  auto change = [patch = std::move(patch)](Connection& connection,
                                           Webhook& webhook) -> Outcome<WebhookAction> {
    const bool restart = Apply(webhook, patch);
    WriteWebhook(connection, webhook);
    if (restart) {
      connection.Execute("UPDATE webhooks SET lease = lease + 1, leased_until = NULL WHERE id = ?",
                         webhook.id);
    }
    return WebhookAction{"webhook.change", Describe(patch)};
  };
  return ChangeWebhook(pool_, id, std::move(actor), std::move(change));
}

Task<Outcome<Done>> MysqlWebhookStore::Remove(WebhookId id, Operator actor) {
  auto change = [](Connection& connection, Webhook& webhook) -> Outcome<WebhookAction> {
    connection.Execute("DELETE FROM webhooks WHERE id = ?", webhook.id);
    connection.Execute("DELETE FROM webhook_resends WHERE webhook_id = ?", webhook.id);
    return WebhookAction{"webhook.remove", DescribeWebhook(webhook)};
  };
  const auto removed = co_await ChangeWebhook(pool_, id, std::move(actor), std::move(change));
  if (!removed) co_return removed.error();
  co_return Done{};
}

Task<Outcome<Webhook>> MysqlWebhookStore::Rotate(WebhookId id, WebhookRotation rotation, Operator actor) {
  auto change = [rotation = std::move(rotation)](Connection& connection,
                                                 Webhook& webhook) -> Outcome<WebhookAction> {
    // The rotation is applied once, even if the answer of its COMMIT is lost and the transaction is retried.
    if (webhook.secret != rotation.secret)
      webhook.previous_secret = std::exchange(webhook.secret, rotation.secret);
    webhook.previous_until = rotation.previous_until;
    WriteWebhook(connection, webhook);
    return WebhookAction{"webhook.rotate-secret"};
  };
  return ChangeWebhook(pool_, id, std::move(actor), std::move(change));
}

Task<Outcome<Done>> MysqlWebhookStore::Test(WebhookId id, std::string data, Operator actor) {
  auto change = [data = std::move(data), at = actor.at](Connection& connection,
                                                        Webhook& webhook) -> Outcome<WebhookAction> {
    if (!webhook.active()) return Refusal::kWebhookDisabled;
    const auto event = TestEvent(webhook, data, at);
    AddEvents(connection, {&event, 1});
    return WebhookAction{"webhook.test"};
  };
  const auto tested = co_await ChangeWebhook(pool_, id, std::move(actor), std::move(change));
  if (!tested) co_return tested.error();
  co_return Done{};
}

Task<Outcome<Done>> MysqlWebhookStore::Resend(WebhookId id, std::int64_t event, Operator actor) {
  auto change = [event](Connection& connection, Webhook& webhook) -> Outcome<WebhookAction> {
    if (!webhook.active()) return Refusal::kWebhookDisabled;
    {
      auto count = connection.Query("SELECT COUNT(*) FROM webhook_resends");
      count.Next();
      if (count.Int(0) >= kMaxResends)
        return Refused{Refusal::kTooManyRequests, Quota{.name = "webhook-resends", .limit = kMaxResends}};
    }
    connection.Execute("INSERT INTO webhook_resends (webhook_id, event_id) VALUES (?, ?)", webhook.id, event);
    return WebhookAction{"webhook.resend", "{\"eventId\":" + std::to_string(event) + "}"};
  };
  const auto added = co_await ChangeWebhook(pool_, id, std::move(actor), std::move(change));
  if (!added) co_return added.error();
  co_return Done{};
}

Task<Outcome<bool>> MysqlWebhookStore::NeedsLease(std::string sender, Millis ttl) {
  return pool_.Read([sender = std::move(sender), ttl](Connection& connection) -> Outcome<bool> {
    auto row = connection.Query(
        "SELECT EXISTS (SELECT 1 FROM webhooks WHERE disabled = '' AND (leased_until IS NULL OR "
        "leased_until <= UTC_TIMESTAMP(3) OR (sender = ? AND leased_until <= "
        "UTC_TIMESTAMP(3) + INTERVAL ? * 1000 MICROSECOND)))",
        sender, (ttl / 2).count());
    row.Next();
    return row.Int(0) != 0;
  });
}

Task<Outcome<LeasedWebhooks>> MysqlWebhookStore::Lease(std::string sender, Millis ttl) {
  const auto needed = co_await NeedsLease(sender, ttl);
  if (!needed) co_return needed.error();
  if (*needed) {
    const auto take = [sender, ttl](Connection& connection, const Attempt&) -> Outcome<Done> {
      connection.Execute(
          "UPDATE webhooks SET leased_until = UTC_TIMESTAMP(3) + INTERVAL ? * 1000 MICROSECOND "
          "WHERE sender = ? AND leased_until > UTC_TIMESTAMP(3)",
          ttl.count(), sender);
      connection.Execute(
          "UPDATE webhooks SET lease = lease + 1, sender = ?, "
          "leased_until = UTC_TIMESTAMP(3) + INTERVAL ? * 1000 MICROSECOND "
          "WHERE disabled = '' AND (leased_until IS NULL OR leased_until <= UTC_TIMESTAMP(3))",
          sender, ttl.count());
      return Done{};
    };
    const auto taken = co_await pool_.Write(take);
    if (!taken) co_return taken.error();
  }
  const auto read = [sender](Connection& connection) -> Outcome<LeasedWebhooks> {
    LeasedWebhooks leased;
    {
      auto rows = connection.Query(kOwnWebhooks, sender);
      while (rows.Next()) leased.webhooks.push_back(WebhookOf(rows));
    }
    if (leased.webhooks.empty()) return leased;
    auto rows = connection.Query(
        "SELECT r.id, r.webhook_id, r.event_id FROM webhook_resends r JOIN webhooks w ON w.id = r.webhook_id "
        "WHERE w.sender = ? ORDER BY r.id LIMIT 1000",
        sender);
    while (rows.Next()) leased.resends.push_back({rows.Int(0), rows.Int(1), rows.Int(2)});
    return leased;
  };
  co_return co_await pool_.Read(read);
}

Task<Outcome<Done>> MysqlWebhookStore::Release(std::string sender) {
  return pool_.Write([sender = std::move(sender)](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute("UPDATE webhooks SET lease = lease + 1, leased_until = NULL WHERE sender = ?", sender);
    return Done{};
  });
}

Task<Outcome<bool>> MysqlWebhookStore::Save(WebhookId id, std::int64_t lease, WebhookProgress progress,
                                            Time now) {
  return pool_.Write([id, lease, progress = std::move(progress), now](Connection& connection,
                                                                      const Attempt&) -> Outcome<bool> {
    const auto written = connection.Execute(
        "UPDATE webhooks SET after_id = ?, attempts = ?, next_attempt_at = ?, failing_since = ?, recent = ?, "
        "disabled = ? WHERE id = ? AND lease = ?",
        progress.cursor, progress.attempts, progress.next_attempt_at, progress.failing_since, progress.recent,
        progress.disabled, id, lease);
    if (written == 0) return false;
    if (progress.disabled.empty()) return true;
    const auto detail = "{\"reason\":\"" + progress.disabled + "\"}";
    AppendAudit(connection, {now, "maejin", "webhook.disable", "webhook " + std::to_string(id), detail});
    return true;
  });
}

Task<Outcome<Done>> MysqlWebhookStore::FinishResend(std::int64_t resend) {
  return pool_.Write([resend](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute("DELETE FROM webhook_resends WHERE id = ?", resend);
    return Done{};
  });
}

}  // namespace maejin::mysql
