#include "domain/waiting_room/join_limit.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr Time kFirstJoinAt = TimeFromMillis(1'794'736'800'000);

TEST(AddressPrefix, IsASlash24OrASlash56) {
  EXPECT_EQ(AddressPrefix("192.0.2.1"), AddressPrefix("192.0.2.254"));
  EXPECT_NE(AddressPrefix("192.0.2.1"), AddressPrefix("192.0.3.1"));
  EXPECT_EQ(AddressPrefix("2001:db8:1:2300::1"), AddressPrefix("2001:db8:1:23ff:ffff::1"));
  EXPECT_NE(AddressPrefix("2001:db8:1:2300::1"), AddressPrefix("2001:db8:1:2400::1"));
  EXPECT_EQ(AddressPrefix("::ffff:192.0.2.1"), AddressPrefix("192.0.2.9"));
  EXPECT_EQ(AddressPrefix("somewhere"), 0U);
}

TEST(JoinLimit, AllowsOneMinuteOfJoinsAtOnceThenOneAtATime) {
  JoinLimit limit;
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(limit.Take(1, 6, kFirstJoinAt));
  EXPECT_FALSE(limit.Take(1, 6, kFirstJoinAt));
  EXPECT_TRUE(limit.Take(2, 6, kFirstJoinAt));
  EXPECT_FALSE(limit.Take(1, 6, kFirstJoinAt + Millis{9'999}));
  EXPECT_TRUE(limit.Take(1, 6, kFirstJoinAt + Millis{10'000}));
  EXPECT_FALSE(limit.Take(1, 6, kFirstJoinAt + Millis{10'000}));
}

TEST(JoinLimit, PrefixBelowItsLimitIsEvicted) {
  JoinLimit limit;
  for (std::uint64_t prefix = 1; prefix <= 5000; ++prefix) {
    EXPECT_TRUE(limit.Take(prefix, 60, kFirstJoinAt + Seconds{static_cast<std::int64_t>(prefix)}));
  }
  EXPECT_LE(limit.size(), 1024U);
}

}  // namespace
}  // namespace maejin
