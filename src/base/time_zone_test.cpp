#include "base/time_zone.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

const TimeZone kSeoul = *TimeZone::Find("Asia/Seoul");
const TimeZone kNewYork = *TimeZone::Find("America/New_York");

Time At(const char* text) { return *ParseTime(text); }

TEST(TimeZone, KnowsTheSystemsZonesAndNoOthers) {
  EXPECT_EQ(kSeoul.name(), "Asia/Seoul");
  EXPECT_FALSE(TimeZone::Find("Asia/Atlantis"));
  EXPECT_FALSE(TimeZone::Find(""));
}

TEST(TimeZone, ADayEndsAtLocalMidnightToTheMillisecond) {
  EXPECT_EQ(FormatDate(kSeoul.LocalDay(At("2025-10-31T23:59:59.999+09:00"))), "2025-10-31");
  EXPECT_EQ(FormatDate(kSeoul.LocalDay(At("2025-11-01T00:00:00.000+09:00"))), "2025-11-01");
  EXPECT_EQ(kSeoul.StartOf(*ParseDate("2025-11-01")), At("2025-10-31T15:00:00Z"));
}

TEST(TimeZone, FollowsAClockChange) {
  // 2025-03-09 has 23 hours in New York, 2025-11-02 has 25.
  EXPECT_EQ(FormatDate(kNewYork.LocalDay(At("2025-03-08T23:59:59.999-05:00"))), "2025-03-08");
  EXPECT_EQ(FormatDate(kNewYork.LocalDay(At("2025-03-09T00:00:00.000-05:00"))), "2025-03-09");
  EXPECT_EQ(FormatDate(kNewYork.LocalDay(At("2025-03-09T23:59:59.999-04:00"))), "2025-03-09");
  EXPECT_EQ(FormatDate(kNewYork.LocalDay(At("2025-03-10T00:00:00.000-04:00"))), "2025-03-10");
  const auto spring = kNewYork.StartOf(*ParseDate("2025-03-10")) - kNewYork.StartOf(*ParseDate("2025-03-09"));
  EXPECT_EQ(spring, std::chrono::hours{23});
  const auto autumn = kNewYork.StartOf(*ParseDate("2025-11-03")) - kNewYork.StartOf(*ParseDate("2025-11-02"));
  EXPECT_EQ(autumn, std::chrono::hours{25});
}

TEST(TimeZone, StartsADayWhoseMidnightIsSkipped) {
  // Beirut goes from 2025-03-29T23:59:59 to 2025-03-30T01:00.
  const auto beirut = TimeZone::Find("Asia/Beirut");
  ASSERT_TRUE(beirut);
  const auto start = beirut->StartOf(*ParseDate("2025-03-30"));
  EXPECT_EQ(FormatDate(beirut->LocalDay(start)), "2025-03-30");
  EXPECT_EQ(FormatDate(beirut->LocalDay(start - Millis{1})), "2025-03-29");
}

}  // namespace
}  // namespace maejin
