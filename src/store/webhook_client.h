// The port that sends webhooks to the outside. Thread-safe.
#pragma once

#include <string>

#include "base/task.h"
#include "domain/webhook.h"
#include "domain/webhook_signature.h"

namespace maejin {

class WebhookClient {
 public:
  virtual ~WebhookClient() = default;
  // One POST, without redirects. The address is checked when the connection is made.
  virtual Task<WebhookAnswer> Post(std::string url, SignedWebhook webhook) = 0;
  // Refuses kTargetRefused if the host of the URL has an address that webhooks may not connect to; a host
  // that cannot be resolved now is accepted. Refuses: kInvalidField.
  virtual Task<Outcome<Done>> CheckTarget(std::string url) = 0;
};

}  // namespace maejin
