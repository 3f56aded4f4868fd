#include "base/check.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(CheckDeathTest, BrokenInvariantEndsTheProcessWithItsMessage) {
  EXPECT_DEATH(MAEJIN_CHECK(1 + 1 == 3, "sums are right"), "invariant broken: sums are right .1 . 1 == 3");
}

TEST(Check, InvariantThatHoldsDoesNothing) { MAEJIN_CHECK(1 + 1 == 2, "sums are right"); }

}  // namespace
}  // namespace maejin
