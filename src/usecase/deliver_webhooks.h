// Delivers the event feed to the endpoints of webhooks.
//
// A lease gives each endpoint to one sender at a time. The sender reads the feed after the endpoint's cursor,
// a page at a time, so that memory is bounded whatever the endpoint does. It sends one event after the other:
// an event is sent only when the endpoint has accepted the event before it. The sender stores the cursor
// after accepted events; after a crash the last of them are sent again, with the same ids. Two senders that
// overlap after a lost lease send duplicates, never a later event before an earlier one.
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
  // Thread-safe. The caller must then stop the client, which ends attempts in flight.
  void Stop() { stopping_.store(true); }

  // The length of a lease: after a crash of its sender, an endpoint waits this long for the next sender.
  static constexpr Millis kLease{5'000};

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // One endpoint that this sender has. Used by the thread of Run().
  struct Served {
    Webhook webhook;  // Assign() replaces the settings; only this sender writes the progress
    WebhookProgress saved;
    SteadyTime saved_at{};
    SteadyTime leased_until{};
    SteadyTime next_send{};  // the earliest time, by rate_per_second
    std::deque<WebhookResend> resends;
    std::int64_t newest_resend = 0;
    std::deque<Event> page;      // events that the endpoint has not accepted yet
    std::int64_t page_next = 0;  // the cursor after the page
    // The last counts of each room that were sent or are in `counts`.
    RoomProgress::SentCounts sent_counts;
    // Events with counts that are still to be sent, by subject: the newest event of each room.
    std::map<std::string, Event, std::less<>> counts;
    SteadyTime look_at{};        // when HasCounts() reads the counts of the rooms again
    bool counts_sent = false;    // counts were sent after the last event of the feed
    bool counts_failed = false;  // the endpoint did not accept the last counts
    bool lost = false;           // this sender does not have the lease any more
    bool ended = false;
  };
  struct Health {
    WebhookId id = 0;
    std::int64_t cursor = 0;
    bool failing = false;
  };

  // Makes `served_` match the leases. Returns the endpoints that are new; the caller starts Serve() for them.
  std::vector<std::shared_ptr<Served>> Assign(LeasedWebhooks leased, SteadyTime asked_at);
  Task<void> Serve(std::shared_ptr<Served> served);
  // One step; false: there was nothing to do.
  Task<bool> Step(Served& served);
  Task<bool> ReadPage(Served& served);
  Task<void> SendNext(Served& served);
  // Reads the counts of the rooms once a second. True: some counts are to be sent.
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
