// A clock that never goes back: not within this process and, with a stored mark (NotBefore()), not after a
// restart. While its source shows an earlier time, this clock continues from the last time, 1/32 slower,
// until the source has caught up. So a stored deadline is neither delayed nor reached twice.
#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace maejin {

class ForwardClock final : public Clock {
 public:
  // The steady clock, replaced in tests.
  using Steady = std::chrono::nanoseconds (*)();

  // `source` outlives it.
  explicit ForwardClock(const Clock& source);
  ForwardClock(const Clock& source, Steady steady);

  Time Now() const override;
  // From now on Now() ≥ `at`. Call before other threads use the clock.
  void NotBefore(Time at);
  // Finds out whether the source was set back. Call about once a second, from one thread.
  void Tick();
  // How far this clock is ahead of its source: 0 unless the source is behind.
  Millis ahead() const;

 private:
  std::int64_t ShownNs() const { return steady_().count() + offset_ns_.load(std::memory_order_relaxed); }

  const Clock& source_;
  const Steady steady_;
  std::atomic<bool> behind_{false};         // the source is behind; then Now() = steady clock + offset_ns_
  std::atomic<std::int64_t> offset_ns_{0};  // has no meaning while behind_ is false
  mutable std::atomic<std::int64_t> latest_ms_{INT64_MIN};
  std::int64_t ticked_ns_;  // Tick() only: steady time of the last call,
  Time seen_;               // and the time of the source at that call
};

}  // namespace maejin
