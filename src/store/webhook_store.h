// The port of the endpoints of webhooks. Operators change endpoints, and each endpoint has one sender at a
// time. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/webhook.h"
#include "store/booking_operations.h"

namespace maejin {

// An event that an operator wants to be sent once more.
struct WebhookResend {
  std::int64_t id = 0;
  WebhookId webhook = 0;
  std::int64_t event = 0;
};

struct WebhookRotation {
  std::string secret;
  Time previous_until{};
};

// The endpoints that one sender has leased.
struct LeasedWebhooks {
  std::vector<Webhook> webhooks;
  std::vector<WebhookResend> resends;  // resends of the leased endpoints
};

class WebhookStore {
 public:
  virtual ~WebhookStore() = default;

  // All functions may refuse with kUnavailable. Each change is a row of the audit log, in the same commit.

  // The store chooses the id. Refuses: kTooManyWebhooks.
  virtual Task<Outcome<Webhook>> Create(Webhook webhook, Operator actor) = 0;
  // All endpoints, ascending by id.
  virtual Task<Outcome<std::vector<Webhook>>> List() = 0;
  // The functions from Find() to Resend() may refuse with kWebhookNotFound.
  virtual Task<Outcome<Webhook>> Find(WebhookId id) = 0;
  virtual Task<Outcome<Webhook>> Change(WebhookId id, WebhookPatch patch, Operator actor) = 0;
  virtual Task<Outcome<Done>> Remove(WebhookId id, Operator actor) = 0;
  // The present secret stays valid until `previous_until`.
  virtual Task<Outcome<Webhook>> Rotate(WebhookId id, WebhookRotation rotation, Operator actor) = 0;
  // Writes an event `webhook.test` with this data. Refuses: kWebhookDisabled.
  virtual Task<Outcome<Done>> Test(WebhookId id, std::string data, Operator actor) = 0;
  // Refuses: kWebhookDisabled, kTooManyRequests (too many resends wait).
  virtual Task<Outcome<Done>> Resend(WebhookId id, std::int64_t event, Operator actor) = 0;

  // Leases every active endpoint that no sender has leased, and renews the leases of `sender`, for `ttl`. An
  // endpoint that was leased anew, or restarted by an operator, has a new `lease`.
  virtual Task<Outcome<LeasedWebhooks>> Lease(std::string sender, Millis ttl) = 0;
  // Ends the leases of `sender`, so that another sender can take its endpoints at once.
  virtual Task<Outcome<Done>> Release(std::string sender) = 0;
  // Stores the progress. False: `lease` is stale, and nothing is written. Progress that disables the endpoint
  // also adds an audit row.
  virtual Task<Outcome<bool>> Save(WebhookId id, std::int64_t lease, WebhookProgress progress, Time now) = 0;
  // Removes a resend after its attempt.
  virtual Task<Outcome<Done>> FinishResend(std::int64_t resend) = 0;
};

}  // namespace maejin
