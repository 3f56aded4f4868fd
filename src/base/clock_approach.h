// How a clock approaches a reference that shows another time. One rule for the machine's wall clock
// (base/clock.cpp) and for Redis's clock (adapters/redis/client/clock_offset.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace maejin {

// A clock is slewed by at most 1/32 of the time that passes.
inline constexpr std::int64_t kSlewDivisor = 32;

// All times in nanoseconds.
struct ClockApproach {
  std::int64_t behind = 0;       // the reference minus the clock
  std::int64_t elapsed = 0;      // since the last approach
  std::int64_t steady = 0;       // the steady clock
  std::int64_t ahead_since = 0;  // steady time since which a large difference is seen; 0: it is not
  bool may_step = false;         // a large difference is followed in one step once it is confirmed

  bool IsLarge() const {
    return may_step && behind >= std::chrono::nanoseconds(SystemClock::kLargeDifference).count();
  }
  bool IsStep() const {
    return IsLarge() && ahead_since != 0 &&
           steady - ahead_since >= std::chrono::nanoseconds(SystemClock::kConfirmation).count();
  }
  // By how much the clock moves now. While a large difference waits for its confirmation: 0.
  std::int64_t Move() const {
    if (IsLarge()) return IsStep() ? behind : 0;
    const auto most = elapsed / kSlewDivisor;
    return std::clamp(behind, -most, most);
  }
  // The value of `ahead_since` for the next approach.
  std::int64_t AheadSince() const {
    if (!IsLarge() || IsStep()) return 0;
    return ahead_since == 0 ? steady : ahead_since;
  }
};

}  // namespace maejin
