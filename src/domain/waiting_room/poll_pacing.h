// The constants of poll intervals and of absence. Every implementation of a waiting room uses them, so that
// all rooms have the same pace.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace maejin::pacing {

struct Distance {
  std::uint32_t below;
  Millis poll_after;
};
// The poll interval by rank: longer for later places, so that a million waiters poll 50,000 times a second.
inline constexpr Distance kDistances[] = {{50, Millis{1000}},          {500, Millis{2000}},
                                          {5000, Millis{4000}},        {50'000, Millis{8000}},
                                          {500'000, Millis{15'000}},   {2'000'000, Millis{20'000}},
                                          {UINT32_MAX, Millis{60'000}}};
// The poll interval of a place without a rank: a quarter of the time until the opening, within these bounds.
inline constexpr Millis kUndrawn{10'000};
inline constexpr Millis kUndrawnLeast{1000};
inline constexpr Millis kWhilePaused{5000};
// The poll interval inside: a quarter of the token's TTL, within these bounds.
inline constexpr Millis kInsideMost{30'000};
inline constexpr Millis kInsideLeast{250};
// A waiter is absent after this many poll intervals without a request: it missed two polls, and the third is
// late.
inline constexpr int kMissedPolls = 3;
// One entry costs this much credit. At `rate` entries per minute, each millisecond adds `rate` to the credit.
inline constexpr std::int64_t kCreditPerEntry = 60'000;

}  // namespace maejin::pacing
