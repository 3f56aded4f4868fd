#include "domain/webhook.h"

#include <algorithm>
#include <charconv>

#include "base/json_text.h"
#include "base/take_until.h"

namespace maejin {
namespace {

constexpr std::string_view kStatusNames[] = {"pending", "delivered", "failed"};
constexpr int kGone = 410;

}  // namespace

bool Apply(Webhook& webhook, const WebhookPatch& patch) {
  bool restart = false;
  if (patch.url) {
    restart = webhook.url != *patch.url;
    webhook.url = *patch.url;
  }
  if (patch.types) webhook.types = *patch.types;
  if (patch.rate_per_second) webhook.rate_per_second = *patch.rate_per_second;
  if (patch.description) webhook.description = *patch.description;
  if (patch.after) {
    webhook.progress.cursor = *patch.after;
    restart = true;
  }
  if (patch.active) {
    restart = true;
    webhook.progress.disabled = *patch.active ? "" : kDisabledByOperator;
  }
  if (restart) {
    webhook.progress.attempts = 0;
    webhook.progress.next_attempt_at.reset();
    webhook.progress.failing_since.reset();
  }
  return restart;
}

std::string Describe(const WebhookPatch& patch) {
  return JsonObjectText([&](JsonWriter& json) {
    if (patch.url) json.Field("url", *patch.url);
    if (patch.types) {
      json.Array("types", [&] {
        for (const auto& type : *patch.types) json.Element(type);
      });
    }
    if (patch.rate_per_second) json.Field("ratePerSecond", *patch.rate_per_second);
    if (patch.description) json.Field("description", *patch.description);
    if (patch.active) json.Field("status", *patch.active ? "active" : "disabled");
    if (patch.after) json.Field("after", *patch.after);
  });
}

bool IsFor(const Webhook& webhook, const Event& event) {
  if (event.type == kWebhookTest)
    return EventDataIn(event.json).starts_with("{\"webhookId\":" + std::to_string(webhook.id) + ",");
  const auto filter = EventFilter::Of(webhook.types);
  return filter && filter->Matches(event.type);
}

std::string ToJson(const WebhookDelivery& delivery) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("id", delivery.event);
    json.Field("eventId", delivery.event);
    json.Field("type", delivery.type);
    json.Field("attempts", delivery.attempts);
    json.Field("status", kStatusNames[static_cast<std::size_t>(delivery.status)]);
    json.OptionalField("lastStatusCode", delivery.status_code);
    json.OptionalField("nextAttemptAt", delivery.next_attempt_at);
    json.Field("attemptedAt", delivery.attempted_at);
    json.Field("durationMs", delivery.duration_ms);
    json.Field("error", delivery.error);
    json.Field("answer", delivery.answer);
  });
}

void Remember(std::string& recent, const WebhookDelivery& delivery) {
  const auto line = ToJson(delivery);
  const auto same = line.substr(0, line.find(',') + 1);  // {"id":N,
  std::vector<std::string_view> kept;
  for (std::string_view rest = recent; !rest.empty();) {
    const auto each = TakeUntil(rest, '\n');
    if (!each.starts_with(same)) kept.push_back(each);
  }
  const auto dropped = kept.size() >= kKeptDeliveries ? kept.size() - kKeptDeliveries + 1 : 0;
  std::string lines;
  for (auto each = kept.begin() + static_cast<std::ptrdiff_t>(dropped); each != kept.end(); ++each)
    lines.append(*each).append("\n");
  recent = std::move(lines) + line + "\n";
}

std::int64_t AttemptsIn(std::string_view recent, std::int64_t event) {
  constexpr std::string_view kAttempts = "\"attempts\":";
  const auto begin = "{\"id\":" + std::to_string(event) + ",";
  for (const auto line : NewestFirst(recent)) {
    if (!line.starts_with(begin)) continue;
    std::int64_t attempts = 0;
    const auto* number = line.data() + line.find(kAttempts) + kAttempts.size();
    std::from_chars(number, line.data() + line.size(), attempts);
    return attempts;
  }
  return 0;
}

std::vector<std::string_view> NewestFirst(std::string_view recent) {
  std::vector<std::string_view> lines;
  while (!recent.empty()) lines.push_back(TakeUntil(recent, '\n'));
  std::reverse(lines.begin(), lines.end());
  return lines;
}

Millis RetryDelay(std::int64_t attempts, double jitter) {
  Millis delay = kFirstRetry;
  for (std::int64_t i = 1; i < attempts && delay < kLongestRetry; ++i) delay *= 2;
  delay = std::min<Millis>(delay, kLongestRetry);
  if (attempts <= 1) return delay;
  return delay + Millis{static_cast<std::int64_t>(static_cast<double>(delay.count()) * jitter / 5)};
}

bool DisableIfGone(WebhookProgress& progress, const WebhookAnswer& answer) {
  if (answer.status_code != kGone) return false;
  progress.disabled = kDisabledGone;
  progress.next_attempt_at.reset();
  return true;
}

void Settle(WebhookProgress& progress, std::int64_t event, const WebhookAnswer& answer, Time now,
            double jitter) {
  if (answer.accepted()) {
    progress.cursor = event;
    progress.attempts = 0;
    progress.next_attempt_at.reset();
    progress.failing_since.reset();
    return;
  }
  ++progress.attempts;
  if (!progress.failing_since) progress.failing_since = now;
  if (DisableIfGone(progress, answer)) return;
  if (now - *progress.failing_since >= kGiveUpAfter) {
    progress.disabled = kDisabledFailing;
    progress.next_attempt_at.reset();
    return;
  }
  auto delay = RetryDelay(progress.attempts, jitter);
  if (answer.retry_after) delay = std::max<Millis>(delay, std::min(*answer.retry_after, kLongestRetry));
  // The last attempt falls on the end of the three days.
  progress.next_attempt_at = std::min(now + delay, *progress.failing_since + Millis{kGiveUpAfter});
}

}  // namespace maejin
