// Signatures of Standard Webhooks 1.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "domain/event.h"

namespace maejin {

// "whsec_" and 32 random bytes in base64.
std::string NewWebhookSecret(Random& random);

// The headers and the body of one attempt.
struct SignedWebhook {
  // webhook-id: "evt_" and the event's id, or its subject and time if it has none; the same at each attempt.
  std::string id;
  std::string timestamp;  // webhook-timestamp: seconds since 1970, of the attempt
  std::string signature;  // webhook-signature: "v1,…" for each secret, separated by spaces
  std::string body;       // {type, timestamp, data}
};
// Precondition: the secrets come from NewWebhookSecret().
SignedWebhook SignWebhook(const Event& event, const std::vector<std::string_view>& secrets, Time now);

}  // namespace maejin
