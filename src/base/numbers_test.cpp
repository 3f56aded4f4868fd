#include "base/numbers.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(NumbersTest, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(WholeNumber<std::int64_t>("42"), 42);
  EXPECT_EQ(WholeNumber<std::int64_t>("-7"), -7);
  for (const char* text : {"", " 42", "42 ", "+42", "4x", "0x2A", "4.2", "9223372036854775808"}) {
    EXPECT_FALSE(WholeNumber<std::int64_t>(text)) << text;
  }
}

TEST(NumbersTest, KeepsToItsBounds) {
  EXPECT_EQ(WholeNumber<int>("1", 1, 9), 1);
  EXPECT_EQ(WholeNumber<int>("9", 1, 9), 9);
  EXPECT_FALSE(WholeNumber<int>("0", 1, 9));
  EXPECT_FALSE(WholeNumber<int>("10", 1, 9));
}

TEST(NumbersTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(WholeNumber<std::uint16_t>("65535"), 65535);
  EXPECT_FALSE(WholeNumber<std::uint16_t>("65536"));
  EXPECT_FALSE(WholeNumber<std::uint16_t>("-1"));
}

}  // namespace
}  // namespace maejin
