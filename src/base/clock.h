// Where time enters the program. Use cases read the clock once and pass the instant on as a value;
// the domain and the stores never ask.
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

// The machine's clock, held still while the machine's clock is being set back.
class SystemClock final : public Clock {
 public:
  Time Now() const override;

 private:
  mutable std::atomic<std::int64_t> latest_ms_{0};
};

// A clock that moves only when told to: tests, simulation.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Time start) : now_ms_(ToMillis(start)) {}
  Time Now() const override { return TimeFromMillis(now_ms_.load()); }
  void Advance(Millis by) { now_ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_ms_;
};

}  // namespace maejin
