// Endpoints of webhooks in the database, shared by all nodes. A lease with a fence ensures that one node
// sends to an endpoint.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "adapters/mysql/pool.h"
#include "store/webhook_store.h"

namespace maejin::mysql {

class MysqlWebhookStore final : public WebhookStore {
 public:
  // `pool` outlives it.
  explicit MysqlWebhookStore(Pool& pool) : pool_(pool) {}

  Task<Outcome<Webhook>> Create(Webhook webhook, Operator actor) override;
  Task<Outcome<std::vector<Webhook>>> List() override;
  Task<Outcome<Webhook>> Find(WebhookId id) override;
  Task<Outcome<Webhook>> Change(WebhookId id, WebhookPatch patch, Operator actor) override;
  Task<Outcome<Done>> Remove(WebhookId id, Operator actor) override;
  Task<Outcome<Webhook>> Rotate(WebhookId id, WebhookRotation rotation, Operator actor) override;
  Task<Outcome<Done>> Test(WebhookId id, std::string data, Operator actor) override;
  Task<Outcome<Done>> Resend(WebhookId id, std::int64_t event, Operator actor) override;

  Task<Outcome<LeasedWebhooks>> Lease(std::string sender, Millis ttl) override;
  Task<Outcome<Done>> Release(std::string sender) override;
  Task<Outcome<bool>> Save(WebhookId id, std::int64_t lease, WebhookProgress progress, Time now) override;
  Task<Outcome<Done>> FinishResend(std::int64_t resend) override;

 private:
  // True: an endpoint is free, or a lease of `sender` is half over.
  Task<Outcome<bool>> NeedsLease(std::string sender, Millis ttl);

  Pool& pool_;
};

}  // namespace maejin::mysql
