// Endpoints of webhooks in memory and on disk. The process is the only sender.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/embedded/audit_log.h"
#include "store/webhook_store.h"

namespace maejin::embedded {

class EmbeddedWebhookStore final : public WebhookStore {
 public:
  // Loads the endpoints. Journal and audit log outlive it. Throws SqliteError.
  EmbeddedWebhookStore(Connection& connection, Journal& journal, AuditLog& audit);

  Task<Outcome<Webhook>> Create(Webhook webhook, Operator actor) override;
  Task<Outcome<std::vector<Webhook>>> List() override;
  Task<Outcome<Webhook>> Find(WebhookId id) override;
  Task<Outcome<Webhook>> Change(WebhookId id, WebhookPatch patch, Operator actor) override;
  Task<Outcome<Done>> Remove(WebhookId id, Operator actor) override;
  Task<Outcome<Webhook>> Rotate(WebhookId id, WebhookRotation rotation, Operator actor) override;
  Task<Outcome<Done>> Test(WebhookId id, std::string data, Operator actor) override;
  Task<Outcome<Done>> Resend(WebhookId id, std::int64_t event, Operator actor) override;

  Task<Outcome<LeasedWebhooks>> Lease(std::string sender, Millis ttl) override;
  Task<Outcome<Done>> Release(std::string) override { co_return Done{}; }
  Task<Outcome<bool>> Save(WebhookId id, std::int64_t lease, WebhookProgress progress, Time now) override;
  Task<Outcome<Done>> FinishResend(std::int64_t resend) override;

 private:
  // Runs `change(webhook, rows)` under the lock, and returns the changed endpoint after the commit. `change`
  // returns the audit entry's action and detail, or a refusal.
  struct Action {
    std::string name;
    std::string detail = {};
    std::vector<EventDraft> drafts = {};
  };
  template <class Decide>
  Task<Outcome<Webhook>> Transit(WebhookId id, Operator actor, Decide change);
  template <class T>
  Task<Outcome<T>> WhenDurable(T value, Ticket ticket);

  Journal& journal_;
  AuditLog& audit_;
  std::mutex mutex_;
  std::map<WebhookId, Webhook> webhooks_;  // guarded by mutex_
  std::vector<WebhookResend> resends_;     // guarded by mutex_
  WebhookId next_id_ = 1;                  // guarded by mutex_
  std::int64_t next_resend_ = 1;           // guarded by mutex_
};

}  // namespace maejin::embedded
