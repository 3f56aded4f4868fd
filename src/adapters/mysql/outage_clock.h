// Stops the deadlines of holds while no node reaches the database. Measures an outage by the clock of the
// database, which all nodes share. A jump of that clock alone is no outage: this node's own clocks limit the
// length.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

#include "adapters/mysql/pool.h"
#include "domain/refusal.h"

namespace maejin::mysql {

// Thread-safe. `pool` outlives it.
class OutageClock {
 public:
  explicit OutageClock(Pool& pool) : pool_(pool) {}

  // Records that this node reaches the database. After an outage it extends the deadlines of all holds by the
  // length of the outage. The first node after the outage does this; the other nodes find a fresh record.
  // True: the deadlines were extended. Refuses: kUnavailable.
  Task<Outcome<bool>> ExtendAfterOutage();
  // ExtendAfterOutage(), at most once a second. Blocks. False: the database does not answer.
  bool Beat();

  // Runs `decide()`. After kHoldExpired it calls ExtendAfterOutage() and runs `decide()` again: the first
  // request after an outage may come before the tick that extends the deadlines.
  template <class T, class Decide>
  Task<Outcome<T>> RetryAfterOutage(Decide decide);

 private:
  struct Instant {
    std::chrono::steady_clock::time_point steady;
    std::chrono::system_clock::time_point wall;  // advances while the machine is suspended
  };
  // Absent: not limited, because this node has not reached the database before.
  std::optional<Millis> LongestOutage(const Instant& now) const;
  void Reached(const Instant& at);

  Pool& pool_;
  std::atomic<std::chrono::steady_clock::time_point> beat_at_{};
  mutable std::mutex mutex_;
  std::optional<Instant> reached_;  // guarded by mutex_: when the last successful call began
};

template <class T, class Decide>
Task<Outcome<T>> OutageClock::RetryAfterOutage(Decide decide) {
  auto decided = co_await decide();
  if (decided || decided.error() != Refusal::kHoldExpired) co_return decided;
  // Decides again even if this call extended nothing: another node may have extended the deadlines.
  const auto moved = co_await ExtendAfterOutage();
  if (!moved) co_return decided;
  co_return co_await decide();
}

}  // namespace maejin::mysql
