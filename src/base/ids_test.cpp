#include "base/ids.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(Id128, RoundTripsThroughText) {
  SeededRandom random(7);
  const auto id = Id128::Random(random);
  EXPECT_EQ(Id128::Parse(id.ToString()), id);
  EXPECT_NE(Id128::Random(random), id);
}

TEST(Id128, RefusesOtherText) {
  EXPECT_FALSE(Id128::Parse(""));
  EXPECT_FALSE(Id128::Parse("0123456789ABCDEF0123456789ABCDEF"));
  EXPECT_FALSE(Id128::Parse("0123456789abcdef0123456789abcde"));
  EXPECT_FALSE(Id128::Parse("0123456789abcdef0123456789abcdeg"));
}

}  // namespace
}  // namespace maejin
