#include "base/numbers.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(NumbersTest, RefusesTextBesideTheNumber) {
  EXPECT_EQ(ParseInt<std::int64_t>("42"), 42);
  EXPECT_EQ(ParseInt<std::int64_t>("-7"), -7);
  for (const char* text : {"", " 42", "42 ", "+42", "4x", "0x2A", "4.2", "9223372036854775808"}) {
    EXPECT_FALSE(ParseInt<std::int64_t>(text)) << text;
  }
}

TEST(NumbersTest, KeepsToItsBounds) {
  EXPECT_EQ(ParseInt<int>("1", 1, 9), 1);
  EXPECT_EQ(ParseInt<int>("9", 1, 9), 9);
  EXPECT_FALSE(ParseInt<int>("0", 1, 9));
  EXPECT_FALSE(ParseInt<int>("10", 1, 9));
}

TEST(NumbersTest, RefusesNumbersOutOfRange) {
  EXPECT_EQ(ParseInt<std::uint16_t>("65535"), 65535);
  EXPECT_FALSE(ParseInt<std::uint16_t>("65536"));
  EXPECT_FALSE(ParseInt<std::uint16_t>("-1"));
}

}  // namespace
}  // namespace maejin
