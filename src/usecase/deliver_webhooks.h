// Delivers the event feed to the endpoints of webhooks.
//
// A lease gives each endpoint to one sender at a time. The sender reads the feed after the endpoint's cursor,
// a page at a time, so that memory is bounded whatever the endpoint does. It sends one event after the other:
// an event follows only when the one before it was acknowledged. The cursor is stored after acknowledged
// deliveries; after a crash the last ones are sent again, with the same ids. Two senders that overlap after
// a lost lease send duplicates, never a later event before an earlier one.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "store/event_feed.h"
#include "store/webhook_client.h"
#include "store/webhook_store.h"
#include "usecase/room_progress.h"

namespace maejin {

class DeliverWebhooks {
 public:
  struct Parts {
    WebhookStore& store;
    EventFeed& feed;
    WebhookClient& client;
    const Clock& clock;
    Random& random;
    Metrics& metrics;
    const RoomProgress* progress = nullptr;  // null: no counts of rooms are sent
  };
  // The references outlive it.
  explicit DeliverWebhooks(Parts parts);

  // Delivers until Stop(), on one thread.
  Task<Done> Run();
  // Thread-safe. Attempts in flight must be ended by the client.
  void Stop() { stopping_.store(true); }

  // How long the endpoints of a sender that died have no sender.
  static constexpr Millis kLease{5'000};

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // One endpoint that this sender has. Used by the thread of Run().
  struct Served {
    Webhook webhook;  // settings are replaced while it runs; progress is written by this sender
    WebhookProgress saved;
    SteadyTime saved_at{};
    SteadyTime leased_until{};
    SteadyTime next_send{};  // the pace
    std::deque<WebhookResend> resends;
    std::int64_t newest_resend = 0;
    std::deque<Event> page;      // read, not yet acknowledged
    std::int64_t page_next = 0;  // the cursor after the page
    // Counts of rooms that are to be sent, by subject: the newest of each.
    RoomProgress::SentCounts sent_counts;
    std::map<std::string, Event, std::less<>> counts;
    SteadyTime look_at{};        // at the counts
    bool counts_sent = false;    // since the last event
    bool counts_failed = false;  // at the last attempt
    bool lost = false;           // another sender has the lease
    bool ended = false;
  };
  struct Health {
    WebhookId id = 0;
    std::int64_t cursor = 0;
    bool failing = false;
  };

  // Updates the endpoints that this sender serves to its leases. Returns the new ones, which the caller
  // starts.
  std::vector<std::shared_ptr<Served>> Assign(LeasedWebhooks leased, SteadyTime asked_at);
  Task<void> Serve(std::shared_ptr<Served> served);
  // One step; false: there was nothing to do.
  Task<bool> Step(Served& served);
  Task<bool> ReadPage(Served& served);
  Task<void> SendNext(Served& served);
  // Looks at the counts of rooms once a second. True: some are to be sent before the next event.
  bool HasCounts(Served& served);
  Task<void> SendCounts(Served& served);
  Task<void> SendAgain(Served& served, WebhookResend resend);
  Task<WebhookAnswer> Attempt(Served& served, const Event& event);
  Task<void> LimitRate(Served& served);
  // Stores the progress if it has changed and either `now` is set or the last store is old enough.
  Task<void> Save(Served& served, bool now);
  Task<void> Wait(Millis time);
  bool MaySend(const Served& served) const;
  double Jitter();
  std::vector<MetricFamily> Measure() const;

  Parts parts_;
  const std::string sender_;
  std::atomic<bool> stopping_{false};
  std::map<WebhookId, std::shared_ptr<Served>> served_;
  mutable std::mutex mutex_;
  std::vector<Health> health_;  // guarded by mutex_
  Counter& delivered_;
  Counter& failed_;
  Histogram& seconds_;
};

}  // namespace maejin
