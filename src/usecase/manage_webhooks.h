// Operators' actions on the endpoints of webhooks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "store/event_feed.h"
#include "store/webhook_client.h"
#include "store/webhook_store.h"
#include "usecase/read_events.h"

namespace maejin {

struct NewWebhook {
  std::string url;
  std::vector<std::string> types;
  std::int64_t rate_per_second = kDefaultWebhookRate;
  std::string description;
  std::optional<std::int64_t> after;  // absent: only events from now on
};

// Thread-safe. The references outlive it.
class ManageWebhooks {
 public:
  struct Parts {
    WebhookStore& store;
    WebhookClient& client;
    EventFeed& feed;
    ReadEvents read;
    Random& random;
    const Clock& clock;
  };
  explicit ManageWebhooks(Parts parts) : parts_(std::move(parts)) {}

  // All may refuse with kUnavailable; those with an id also with kWebhookNotFound.

  // Refuses: kInvalidField, kTargetRefused, kTooManyWebhooks.
  Task<Outcome<Webhook>> Create(NewWebhook webhook);
  Task<Outcome<std::vector<Webhook>>> List() { return parts_.store.List(); }
  Task<Outcome<Webhook>> Find(WebhookId id) { return parts_.store.Find(id); }
  // Refuses: kInvalidField, kTargetRefused.
  Task<Outcome<Webhook>> Change(WebhookId id, WebhookPatch patch);
  Task<Outcome<Done>> Remove(WebhookId id);
  // Makes a new secret. For the time of `overlap`, webhooks are signed with the old secret, too.
  Task<Outcome<Webhook>> Rotate(WebhookId id, Seconds overlap);
  // Sends an event of the type webhook.test in the order of the feed. Returns its id; absent if the feed does
  // not have the event within some seconds. Refuses: kWebhookDisabled.
  Task<Outcome<std::optional<std::int64_t>>> Test(WebhookId id);
  // Sends an event of the feed once more, now. Refuses: kWebhookDisabled, kDeliveryNotFound (the feed has no
  // such event, or it is not for this endpoint).
  Task<Outcome<Event>> Resend(WebhookId id, std::int64_t event);

 private:
  Operator Admin() const { return {"admin", parts_.clock.Now()}; }
  Outcome<Done> CheckFeed(const std::vector<std::string>& types, std::optional<std::int64_t> after) const;

  Parts parts_;
};

}  // namespace maejin
