// The common clock of the nodes of one Redis. It starts at Redis's time, advances by the node's steady clock,
// and approaches Redis's clock by the rule of base/clock_approach.h: at most 1/32 of the time that passes. So
// no deadline moves when Redis's clock is set, or after a failover to a server with another clock.
//
// A large difference is followed in one step if Redis's clock is ahead and the machine's wall clock agrees
// with it. Then this node's time is wrong: its machine was suspended, or Redis's clock was wrong at first.
//
// All nodes that measure the same jump slew alike. A node that starts meanwhile continues from their shift.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace maejin::redis {

// Thread-safe; Measure() and Tick() are called by one thread.
class ClockOffset {
 public:
  // Answers that took longer say too little about Redis's clock.
  static constexpr Millis kMaxRoundTrip{500};
  // A larger change of Redis's clock between two measurements is logged.
  static constexpr Millis kJump{1000};
  // The machine's wall clock agrees with Redis's clock if they differ by less.
  static constexpr Millis kAgreement{1000};

  // The operating system's clocks, replaced in tests.
  struct Sources {
    std::chrono::nanoseconds (*wall)();    // since 1970
    std::chrono::nanoseconds (*steady)();  // since any fixed instant
  };
  ClockOffset();
  explicit ClockOffset(Sources sources) : sources_(sources) {}

  // `server`: the reply to TIME, to a request that was sent at steady time `sent`. The first measurement is
  // taken as it is, plus `shift`, the Shift() of the running nodes. Later ones are only approached.
  void Measure(std::chrono::nanoseconds sent, Time server, Millis shift = Millis{0});
  // Approaches Redis's clock. Call some times a second.
  void Tick();

  // The common time; `node_now` before the first measurement. Never earlier than an earlier result.
  Time Correct(Time node_now);
  bool measured() const { return measured_.load(std::memory_order_acquire); }
  // Redis's clock minus the machine's wall clock; 0 before the first measurement.
  Millis offset() const;
  // The common time minus Redis's, while a jump is slewed. Absent: less than kJump, or a step is near.
  std::optional<Millis> Shift() const;

 private:
  std::int64_t Behind() const;
  bool MachineAgrees() const;

  Sources sources_;
  std::atomic<bool> measured_{false};
  std::atomic<std::int64_t> server_ns_{0};  // Redis's clock minus the steady clock
  std::atomic<std::int64_t> shown_ns_{0};   // the common time minus the steady clock
  std::atomic<std::int64_t> latest_ms_{INT64_MIN};
  std::int64_t ticked_ns_ = 0;       // Tick() only: steady time of the last call,
  std::int64_t ahead_since_ns_ = 0;  // and since when a step is near; 0: it is not
};

}  // namespace maejin::redis
