// When a fan is to ask again, and what absence is: the constants. They live here once, for the domain and for
// the scripts of a store that decides elsewhere.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace maejin::pacing {

struct Distance {
  std::uint32_t below;
  Millis poll_after;
};
// The further from the front, the rarer: a million waiters ask 50,000 times a second, not a million times.
inline constexpr Distance kDistances[] = {{50, Millis{1000}},          {500, Millis{2000}},
                                          {5000, Millis{4000}},        {50'000, Millis{8000}},
                                          {500'000, Millis{15'000}},   {2'000'000, Millis{20'000}},
                                          {UINT32_MAX, Millis{60'000}}};
// A place without a rank: a quarter of the time until the opening, within these.
inline constexpr Millis kUndrawn{10'000};
inline constexpr Millis kUndrawnLeast{1000};
inline constexpr Millis kWhilePaused{5000};
// Inside: a quarter of the token's TTL, within these.
inline constexpr Millis kInsideMost{30'000};
inline constexpr Millis kInsideLeast{250};
// An absent waiter missed two polls and is late for the third.
inline constexpr int kMissedPolls = 3;
// One entry costs this much allowance; one millisecond at `rate` per minute brings `rate`.
inline constexpr std::int64_t kCreditPerEntry = 60'000;

}  // namespace maejin::pacing
