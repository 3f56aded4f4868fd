// An endpoint of webhooks: a URL that gets events by POST, in the order of the feed, with its own cursor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/event.h"
#include "domain/refusal.h"

namespace maejin {

using WebhookId = std::int64_t;

inline constexpr std::size_t kMaxWebhooks = 100;
inline constexpr std::int64_t kDefaultWebhookRate = 100;
inline constexpr std::int64_t kMaxWebhookRate = 10'000;
inline constexpr std::size_t kKeptDeliveries = 50;
inline constexpr Seconds kMaxSecretOverlap = std::chrono::days{7};

// Why an endpoint gets no events.
inline constexpr std::string_view kDisabledByOperator = "operator";
inline constexpr std::string_view kDisabledGone = "gone";        // it answered 410
inline constexpr std::string_view kDisabledFailing = "failing";  // it failed for kGiveUpAfter

// The delivery state of an endpoint, as it is stored.
struct WebhookProgress {
  std::int64_t cursor = 0;                   // every event up to here was acknowledged, or is of other types
  std::int64_t attempts = 0;                 // failed attempts at the next event
  std::optional<Time> next_attempt_at = {};  // absent: at once
  std::optional<Time> failing_since = {};    // absent: the last attempt succeeded
  // The last deliveries: JSON objects in text lines, the newest last.
  std::string recent = {};
  std::string disabled = {};  // why the endpoint is disabled; empty: it is active

  friend bool operator==(const WebhookProgress&, const WebhookProgress&) = default;
};

struct Webhook {
  WebhookId id = 0;
  std::string url;
  std::vector<std::string> types;  // as EventFilter takes them; empty: all
  std::int64_t rate_per_second = kDefaultWebhookRate;
  std::string description;
  Time created_at{};
  std::string secret;           // "whsec_" and base64
  std::string previous_secret;  // empty: none
  std::optional<Time> previous_until;
  WebhookProgress progress;
  // The fence: the store accepts progress only from the sender whose lease has this number.
  std::int64_t lease = 0;

  bool active() const { return progress.disabled.empty(); }
};

struct WebhookPatch {
  std::optional<std::string> url = {};
  std::optional<std::vector<std::string>> types = {};
  std::optional<std::int64_t> rate_per_second = {};
  std::optional<std::string> description = {};
  std::optional<bool> active = {};
  std::optional<std::int64_t> after = {};  // the new cursor
};
// Changes the endpoint. A new URL, a new cursor or a new `active` forgets failed attempts, so that the next
// attempt is made at once. Returns true then: the sender must restart its delivery.
bool Apply(Webhook& webhook, const WebhookPatch& patch);
// The fields that the patch names, as JSON for the audit log.
std::string Describe(const WebhookPatch& patch);

inline constexpr std::string_view kWebhookTest = "webhook.test";
// Whether the endpoint gets this event: its types match, or the event is a test of this endpoint.
bool IsFor(const Webhook& webhook, const Event& event);

// One delivery of an event to one endpoint.
struct WebhookDelivery {
  enum class Status : std::uint8_t { kPending, kDelivered, kFailed };
  std::int64_t event = 0;
  std::string type;
  std::int64_t attempts = 0;
  Status status = Status::kPending;
  std::optional<int> status_code = {};
  std::optional<Time> next_attempt_at = {};
  Time attempted_at{};
  std::int64_t duration_ms = 0;
  std::string error = {};   // why there is no status code
  std::string answer = {};  // the first bytes of the body
};
std::string ToJson(const WebhookDelivery& delivery);
// Adds the delivery to `recent`. It replaces an older delivery of the same event. Only the last
// kKeptDeliveries are kept.
void Remember(std::string& recent, const WebhookDelivery& delivery);
// The number of attempts of an event in `recent`; 0: the event is not there.
std::int64_t AttemptsIn(std::string_view recent, std::int64_t event);
// The text lines of `recent`, the newest first.
std::vector<std::string_view> NewestFirst(std::string_view recent);

// The answer of an endpoint to one attempt.
struct WebhookAnswer {
  int status_code = 0;  // 0: none
  std::string error = {};
  std::string body = {};
  std::optional<Seconds> retry_after = {};
  Millis duration{0};

  bool accepted() const { return status_code >= 200 && status_code < 300; }
};

inline constexpr Seconds kFirstRetry{5};
inline constexpr Seconds kLongestRetry = std::chrono::hours{1};
inline constexpr Seconds kGiveUpAfter = std::chrono::days{3};

// The pause after failed attempt number `attempts`, from 1. The first pause is 5 s; each later one is twice
// as long, up to an hour, and jitter adds up to a fifth to it. `jitter` is 0…1.
Millis RetryDelay(std::int64_t attempts, double jitter);

// Disables the endpoint if it answered 410. Returns true then.
bool DisableIfGone(WebhookProgress& progress, const WebhookAnswer& answer);

// Changes the progress after one attempt of `event`: the cursor moves, or the next attempt is planned, or
// the endpoint is disabled.
void Settle(WebhookProgress& progress, std::int64_t event, const WebhookAnswer& answer, Time now,
            double jitter);

}  // namespace maejin
