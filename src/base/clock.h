// The source of time. Use cases read the clock once and pass the instant on as a value; the domain and the
// stores never read a clock.
#pragma once

#include <atomic>
#include <functional>

#include "base/time.h"

namespace maejin {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back within one process.
  virtual Time Now() const = 0;
};

// The wall clock at the start of the process, advanced by the steady clock. If the wall clock is set forward
// by more than kLargeDifference and stays there, this clock follows in one step. So a server that started
// before its time was corrected opens its sales in time. To the stores, a step looks like a pause of the
// process; they extend their deadlines by either (embedded/pause_watch.h). Any other difference is slewed by
// at most 1/32 of the time that passes. The clock never goes back.
class SystemClock final : public Clock {
 public:
  static constexpr Seconds kLargeDifference{5};
  // A step waits this long, in case the wall clock is set back again.
  static constexpr Seconds kConfirmation{3};
  // kNever: for nodes that take the time from another server. Their clock must not step.
  enum class Steps : std::uint8_t { kForward, kNever };

  // The operating system's clocks, replaced in tests.
  struct Sources {
    std::chrono::nanoseconds (*wall)();    // since 1970
    std::chrono::nanoseconds (*steady)();  // since any fixed instant
  };
  explicit SystemClock(Steps steps = Steps::kForward);
  explicit SystemClock(Sources sources, Steps steps = Steps::kForward);
  Time Now() const override;
  // Moves the clock forward to `mark` if it shows an earlier time. `mark`: a time that was known before a
  // restart.
  void StartNotBefore(Time mark);
  // The listener is called after each step, with the length of the step. Set it before the first Now().
  void OnStep(std::function<void(Millis)> listener) { on_step_ = std::move(listener); }

 private:
  void Approach(std::int64_t steady_ns) const;

  Sources sources_;
  Steps steps_;
  std::function<void(Millis)> on_step_;
  mutable std::atomic<std::int64_t> offset_ns_;      // our time = the steady clock's + this
  mutable std::atomic<std::int64_t> approached_ns_;  // steady time of the last step towards the wall clock
  mutable std::atomic<std::int64_t> ahead_since_ns_{0};  // steady time since which a large difference is seen
  mutable std::atomic<std::int64_t> latest_ms_{0};
};

// A clock that moves only by Advance(): tests, simulation.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Time start) : now_ms_(ToMillis(start)) {}
  Time Now() const override { return TimeFromMillis(now_ms_.load()); }
  void Advance(Millis by) { now_ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_ms_;
};

}  // namespace maejin
