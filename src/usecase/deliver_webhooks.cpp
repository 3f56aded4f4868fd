#include "usecase/deliver_webhooks.h"

#include <algorithm>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/await.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/timer.h"

namespace maejin {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Millis kLeaseEvery{250};
constexpr Millis kIdle{50};
constexpr Millis kStopping{5};
constexpr Millis kAfterFault{500};
constexpr Millis kSaveEvery{200};
constexpr std::size_t kPageEvents = 100;

std::vector<std::string_view> SecretsOf(const Webhook& webhook, Time now) {
  std::vector<std::string_view> secrets{webhook.secret};
  if (!webhook.previous_secret.empty() && webhook.previous_until && now < *webhook.previous_until)
    secrets.push_back(webhook.previous_secret);
  return secrets;
}

WebhookDelivery DeliveryOf(const Event& event, const WebhookAnswer& answer, Time now) {
  WebhookDelivery delivery;
  delivery.event = event.id;
  delivery.type = event.type;
  delivery.attempted_at = now;
  delivery.duration_ms = answer.duration.count();
  delivery.error = answer.error;
  delivery.answer = answer.body;
  if (answer.status_code != 0) delivery.status_code = answer.status_code;
  return delivery;
}

void LogDisabled(const Webhook& webhook) {
  LogWarning("webhook {}: disabled ({})", webhook.id, webhook.progress.disabled);
}

}  // namespace

DeliverWebhooks::DeliverWebhooks(Parts parts)
    : parts_(parts),
      sender_(Id128::Random(parts.random).ToString()),
      delivered_(parts.metrics.AddCounter("maejin_webhook_attempts_total", "Webhooks sent, by their outcome.",
                                          {{"outcome", "delivered"}})),
      failed_(parts.metrics.AddCounter("maejin_webhook_attempts_total", "Webhooks sent, by their outcome.",
                                       {{"outcome", "failed"}})),
      seconds_(parts.metrics.AddHistogram("maejin_webhook_seconds",
                                          "Time until an endpoint of webhooks answered, in seconds.",
                                          LatencyBounds())) {
  parts_.metrics.AddFamiliesOf([this] { return Measure(); });
}

Task<Done> DeliverWebhooks::Run() {
  const auto executor = co_await boost::asio::this_coro::executor;
  while (!stopping_) {
    const auto asked_at = SteadyClock::now();
    auto leased = co_await parts_.store.Lease(sender_, kLease);
    if (leased) {
      for (auto& served : Assign(std::move(*leased), asked_at))
        boost::asio::co_spawn(executor, Serve(std::move(served)), boost::asio::detached);
    }
    co_await Wait(kLeaseEvery);
  }
  while (std::any_of(served_.begin(), served_.end(), [](const auto& each) { return !each.second->ended; }))
    co_await Wait(kStopping);
  (void)co_await parts_.store.Release(sender_);
  co_return Done{};
}

std::vector<std::shared_ptr<DeliverWebhooks::Served>> DeliverWebhooks::Assign(LeasedWebhooks leased,
                                                                              SteadyTime asked_at) {
  std::erase_if(served_, [](const auto& each) { return each.second->ended; });
  std::map<WebhookId, Webhook*> kept;
  for (auto& webhook : leased.webhooks) kept[webhook.id] = &webhook;
  for (auto& [id, served] : served_) {
    const auto found = kept.find(id);
    served->lost = found == kept.end() || found->second->lease != served->webhook.lease;
  }
  std::vector<std::shared_ptr<Served>> added;
  for (auto& [id, webhook] : kept) {
    auto& served = served_[id];
    if (!served) {
      served = std::make_shared<Served>();
      served->webhook = *webhook;
      served->saved = webhook->progress;
      added.push_back(served);
    }
    if (served->lost) continue;  // the endpoint is skipped until its task has ended
    served->leased_until = asked_at + kLease;
    if (served->webhook.types != webhook->types) served->page.clear();
    webhook->progress = std::move(served->webhook.progress);
    served->webhook = std::move(*webhook);
  }
  for (const auto& resend : leased.resends) {
    const auto found = served_.find(resend.webhook);
    if (found == served_.end() || resend.id <= found->second->newest_resend) continue;
    found->second->newest_resend = resend.id;
    found->second->resends.push_back(resend);
  }
  const std::lock_guard lock(mutex_);
  health_.clear();
  for (const auto& [id, served] : served_) {
    const auto& progress = served->webhook.progress;
    health_.push_back({id, progress.cursor, progress.failing_since.has_value()});
  }
  return added;
}

Task<void> DeliverWebhooks::Serve(std::shared_ptr<Served> served) {
  while (!stopping_ && !served->lost && served->webhook.active()) {
    const bool worked = co_await Step(*served);
    if (worked) continue;
    co_await Save(*served, false);
    co_await Wait(kIdle);
  }
  // The next sender begins at the stored cursor: accepted events after it would be sent again.
  co_await Save(*served, true);
  while (!stopping_ && !served->lost && served->webhook.progress != served->saved) {
    co_await Wait(kAfterFault);
    co_await Save(*served, true);
  }
  served->ended = true;
}

bool DeliverWebhooks::MaySend(const Served& served) const {
  return !stopping_ && !served.lost && SteadyClock::now() < served.leased_until;
}

Task<bool> DeliverWebhooks::Step(Served& served) {
  if (!MaySend(served)) co_return false;
  if (!served.resends.empty()) {
    const auto resend = served.resends.front();
    served.resends.pop_front();
    co_await SendAgain(served, resend);
    co_return true;
  }
  auto& progress = served.webhook.progress;
  if (progress.next_attempt_at && parts_.clock.Now() < *progress.next_attempt_at) co_return false;
  // Counts wait while an event fails: accepted counts would reset `attempts`, and so the event's pauses.
  const bool event_fails = progress.attempts > 0 && !served.counts_failed;
  const bool events_wait = !served.page.empty() || parts_.feed.NewestAtOnce() > progress.cursor;
  const bool turn_of_counts = !events_wait || !served.counts_sent;
  bool counts = !event_fails && turn_of_counts && HasCounts(served);
  if (!counts && served.page.empty()) {
    const bool found = co_await ReadPage(served);
    counts = !found && HasCounts(served);
    if (!found && !counts) co_return false;
  }
  if (counts) {
    co_await SendCounts(served);
    co_return true;
  }
  if (served.page.empty()) {
    progress.cursor = served.page_next;
  } else {
    served.counts_sent = false;
    co_await SendNext(served);
  }
  co_await Save(served, false);
  co_return true;
}

Task<bool> DeliverWebhooks::ReadPage(Served& served) {
  const auto cursor = served.webhook.progress.cursor;
  if (parts_.feed.NewestAtOnce() <= cursor) co_return false;
  auto types = served.webhook.types;
  types.emplace_back(kWebhookTest);
  auto filter = EventFilter::Of(std::move(types));
  EventQuery query;
  query.after = cursor;
  query.limit = kPageEvents;
  if (filter) query.filter = std::move(*filter);
  auto page = co_await parts_.feed.Read(std::move(query));
  if (!page || page->next <= cursor) co_return false;
  for (auto& event : page->events)
    if (IsFor(served.webhook, event)) served.page.push_back(std::move(event));
  served.page_next = page->next;
  co_return true;
}

Task<void> DeliverWebhooks::SendNext(Served& served) {
  co_await LimitRate(served);
  if (!MaySend(served) || served.page.empty()) co_return;
  const auto event = served.page.front();
  const auto answer = co_await Attempt(served, event);
  // An attempt that the shutdown ended is no failure of the endpoint.
  if (stopping_ && answer.status_code == 0) co_return;
  const auto now = parts_.clock.Now();
  auto& progress = served.webhook.progress;
  auto delivery = DeliveryOf(event, answer, now);
  delivery.attempts = progress.attempts + 1;
  Settle(progress, event.id, answer, now, Jitter());
  delivery.next_attempt_at = progress.next_attempt_at;
  if (answer.accepted()) {
    delivery.status = WebhookDelivery::Status::kDelivered;
    if (!served.page.empty() && served.page.front().id == event.id) served.page.pop_front();
    if (served.page.empty()) progress.cursor = std::max(progress.cursor, served.page_next);
  } else if (!served.webhook.active()) {
    delivery.status = WebhookDelivery::Status::kFailed;
    LogDisabled(served.webhook);
  }
  Remember(progress.recent, delivery);
  if (!answer.accepted()) co_await Save(served, true);
}

bool DeliverWebhooks::HasCounts(Served& served) {
  const auto now = SteadyClock::now();
  if (!parts_.progress || now < served.look_at) return !served.counts.empty();
  const bool first = served.look_at == SteadyTime{};
  served.look_at = now + RoomProgress::kEvery;
  const auto filter = EventFilter::Of(served.webhook.types);
  if (!filter || !RoomProgress::IsWanted(*filter)) {
    served.counts.clear();
    return false;
  }
  if (first) served.sent_counts = parts_.progress->Begin(RoomProgress::Beginning::kRoomsWithPeople);
  for (auto& event : parts_.progress->Changes(served.sent_counts)) {
    const std::string subject(EventSubjectIn(event.json));
    served.counts.insert_or_assign(subject, std::move(event));
  }
  return !served.counts.empty();
}

// Counts that the endpoint does not accept pause it, as a failed event does. After the pause they are sent
// again, or newer counts of the same room instead.
Task<void> DeliverWebhooks::SendCounts(Served& served) {
  co_await LimitRate(served);
  if (!MaySend(served) || served.counts.empty()) co_return;
  served.counts_sent = true;
  auto next = served.counts.extract(served.counts.begin());
  const auto answer = co_await Attempt(served, next.mapped());
  if (stopping_ && answer.status_code == 0) co_return;
  auto& progress = served.webhook.progress;
  Settle(progress, progress.cursor, answer, parts_.clock.Now(), Jitter());
  served.counts_failed = !answer.accepted();
  if (answer.accepted()) co_return;
  served.counts.insert(std::move(next));
  if (!served.webhook.active()) LogDisabled(served.webhook);
  co_await Save(served, true);
}

Task<void> DeliverWebhooks::SendAgain(Served& served, WebhookResend resend) {
  EventQuery query;
  query.after = resend.event - 1;
  query.limit = 1;
  const auto page = co_await parts_.feed.Read(std::move(query));
  if (!page) {
    served.resends.push_front(resend);
    co_await Wait(kAfterFault);
    co_return;
  }
  if (!page->events.empty() && page->events[0].id == resend.event) {
    const auto& event = page->events[0];
    co_await LimitRate(served);
    const auto answer = co_await Attempt(served, event);
    if (stopping_ && answer.status_code == 0) co_return;
    auto delivery = DeliveryOf(event, answer, parts_.clock.Now());
    auto& progress = served.webhook.progress;
    delivery.attempts = AttemptsIn(progress.recent, event.id) + 1;
    delivery.status =
        answer.accepted() ? WebhookDelivery::Status::kDelivered : WebhookDelivery::Status::kFailed;
    Remember(progress.recent, delivery);
    if (DisableIfGone(progress, answer)) LogDisabled(served.webhook);
    co_await Save(served, true);
  }
  (void)co_await parts_.store.FinishResend(resend.id);
}

Task<WebhookAnswer> DeliverWebhooks::Attempt(Served& served, const Event& event) {
  const auto now = parts_.clock.Now();
  auto webhook = SignWebhook(event, SecretsOf(served.webhook, now), now);
  auto answer = co_await parts_.client.Post(served.webhook.url, std::move(webhook));
  (answer.accepted() ? delivered_ : failed_).Add();
  seconds_.Observe(static_cast<double>(answer.duration.count()) / 1000);
  co_return answer;
}

Task<void> DeliverWebhooks::LimitRate(Served& served) {
  const auto now = SteadyClock::now();
  served.next_send = std::max(served.next_send, now);
  const auto pause = served.next_send - now;
  served.next_send += std::chrono::nanoseconds{std::chrono::seconds{1}} / served.webhook.rate_per_second;
  if (pause > pause.zero()) co_await Wait(std::chrono::ceil<Millis>(pause));
}

Task<void> DeliverWebhooks::Save(Served& served, bool now) {
  const auto& progress = served.webhook.progress;
  if (served.lost || progress == served.saved) co_return;
  if (!now && SteadyClock::now() - served.saved_at < kSaveEvery) co_return;
  auto stored = progress;
  const auto saved =
      co_await parts_.store.Save(served.webhook.id, served.webhook.lease, stored, parts_.clock.Now());
  served.saved_at = SteadyClock::now();
  if (!saved) co_return;
  if (*saved) {
    served.saved = std::move(stored);
  } else {
    served.lost = true;
  }
}

Task<void> DeliverWebhooks::Wait(Millis time) {
  SteadyTimer timer(co_await boost::asio::this_coro::executor);
  timer.expires_after(time);
  co_await timer.async_wait(kAwait);
}

double DeliverWebhooks::Jitter() {
  return static_cast<double>(parts_.random.Next64() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
}

std::vector<MetricFamily> DeliverWebhooks::Measure() const {
  MetricFamily waiting{"maejin_webhook_waiting_events",
                       "Events after the cursor of an endpoint, of any type.",
                       MetricFamily::Type::kGauge,
                       {}};
  MetricFamily failing{"maejin_webhook_failing",
                       "1 while an endpoint of webhooks does not accept events.",
                       MetricFamily::Type::kGauge,
                       {}};
  const auto newest = parts_.feed.NewestAtOnce();
  const std::lock_guard lock(mutex_);
  for (const auto& each : health_) {
    const MetricLabels labels{{"webhook", std::to_string(each.id)}};
    waiting.samples.push_back({labels, static_cast<double>(newest - each.cursor)});
    failing.samples.push_back({labels, each.failing ? 1.0 : 0.0});
  }
  return {std::move(waiting), std::move(failing)};
}

}  // namespace maejin
