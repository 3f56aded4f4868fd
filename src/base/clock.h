// The source of time. Use cases read the clock once and pass the instant on as a value; the domain and the
// stores never read a clock.
#pragma once

#include <atomic>

#include "base/time.h"

namespace maejin {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back within one process.
  virtual Time Now() const = 0;
};

// The wall clock at the start of the process, advanced by the steady clock: setting the wall clock by an hour
// moves no deadline. A difference to the wall clock is slewed by at most 1/32 of the time that passes. A
// restart uses the wall clock at once.
class SystemClock final : public Clock {
 public:
  // The operating system's clocks, replaced in tests.
  struct Sources {
    std::chrono::nanoseconds (*wall)();    // since 1970
    std::chrono::nanoseconds (*steady)();  // since any fixed instant
  };
  SystemClock();
  explicit SystemClock(Sources sources);
  Time Now() const override;

 private:
  void Approach(std::int64_t steady_ns) const;

  Sources sources_;
  mutable std::atomic<std::int64_t> offset_ns_;      // our time = the steady clock's + this
  mutable std::atomic<std::int64_t> approached_ns_;  // steady time of the last step towards the wall clock
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
