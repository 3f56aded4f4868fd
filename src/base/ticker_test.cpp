#include "base/ticker.h"

#include <gtest/gtest.h>

#include <latch>

namespace maejin {
namespace {

TEST(Ticker, TicksUntilItIsDestroyed) {
  std::latch third(3);
  std::atomic<int> ticks = 0;
  {
    const Ticker ticker(Millis{1}, [&] {
      if (++ticks <= 3) third.count_down();
    });
    third.wait();
  }
  const int at_end = ticks;
  EXPECT_GE(at_end, 3);
  EXPECT_EQ(ticks, at_end);
}

TEST(Ticker, EndsAtOnceAlthoughItsIntervalIsLong) {
  const auto start = std::chrono::steady_clock::now();
  {
    const Ticker ticker(std::chrono::hours{1}, [] {});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes{1});
}

}  // namespace
}  // namespace maejin
