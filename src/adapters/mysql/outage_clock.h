// Stops the deadlines of holds while no node reaches the database. Uses the database's clock, which all nodes
// share.
#pragma once

#include <atomic>
#include <chrono>

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
  Pool& pool_;
  std::atomic<std::chrono::steady_clock::time_point> beat_at_{};
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
