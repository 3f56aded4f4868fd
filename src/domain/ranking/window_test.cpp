#include "domain/ranking/window.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

const TimeZone kSeoul = *TimeZone::Find("Asia/Seoul");
const TimeZone kNewYork = *TimeZone::Find("America/New_York");

Date Day(const char* text) { return *ParseDate(text); }
std::string Key(WindowKind kind, const char* day, WindowText form = WindowText::kCompact) {
  return Format(WindowOf(kind, Day(day)), form);
}

TEST(Window, FormatsAsInKeys) {
  EXPECT_EQ(Key(WindowKind::kDaily, "2025-10-31"), "20251031");
  EXPECT_EQ(Key(WindowKind::kDaily, "2025-10-31", WindowText::kDashed), "2025-10-31");
  EXPECT_EQ(Key(WindowKind::kWeekly, "2025-10-31"), "2025-W44");
  EXPECT_EQ(Key(WindowKind::kMonthly, "2025-10-31"), "202510");
  EXPECT_EQ(Key(WindowKind::kAll, "2025-10-31"), "");
}

TEST(Window, AWeekBelongsToItsIsoYear) {
  EXPECT_EQ(Key(WindowKind::kWeekly, "2025-12-28"), "2025-W52");
  EXPECT_EQ(Key(WindowKind::kWeekly, "2025-12-29"), "2026-W01");
  EXPECT_EQ(Key(WindowKind::kWeekly, "2026-12-31"), "2026-W53");
  EXPECT_EQ(Key(WindowKind::kWeekly, "2027-01-01"), "2026-W53");
  EXPECT_EQ(Key(WindowKind::kWeekly, "2027-01-03"), "2026-W53");
  EXPECT_EQ(Key(WindowKind::kWeekly, "2027-01-04"), "2027-W01");
}

TEST(Window, LeapDayIsOneDay) {
  EXPECT_EQ(Key(WindowKind::kDaily, "2024-02-29"), "20240229");
  EXPECT_EQ(DayAfter(WindowOf(WindowKind::kDaily, Day("2024-02-29"))), Day("2024-03-01"));
  EXPECT_EQ(DayAfter(WindowOf(WindowKind::kMonthly, Day("2024-02-29"))), Day("2024-03-01"));
  EXPECT_EQ(DayAfter(WindowOf(WindowKind::kDaily, Day("2025-02-28"))), Day("2025-03-01"));
}

TEST(Window, AnInstantBelongsToTheDayOfItsZone) {
  const auto last = *ParseTime("2025-12-31T23:59:59.999+09:00");
  EXPECT_EQ(Format(WindowOf(WindowKind::kMonthly, last, kSeoul), WindowText::kCompact), "202512");
  EXPECT_EQ(Format(WindowOf(WindowKind::kMonthly, last + Millis{1}, kSeoul), WindowText::kCompact), "202601");
  EXPECT_EQ(Format(WindowOf(WindowKind::kMonthly, last + Millis{1}, kNewYork), WindowText::kCompact),
            "202512");
}

TEST(Window, EndsWhereTheNextBegins) {
  EXPECT_EQ(EndOf(WindowOf(WindowKind::kDaily, Day("2025-03-09")), kNewYork),
            *ParseTime("2025-03-10T04:00:00Z"));
  EXPECT_EQ(EndOf(WindowOf(WindowKind::kWeekly, Day("2025-12-29")), kSeoul),
            *ParseTime("2026-01-04T15:00:00Z"));
  EXPECT_EQ(EndOf(WindowOf(WindowKind::kMonthly, Day("2025-12-29")), kSeoul),
            *ParseTime("2025-12-31T15:00:00Z"));
}

TEST(Window, IsNamed) {
  EXPECT_EQ(ParseWindowKind("weekly"), WindowKind::kWeekly);
  EXPECT_EQ(Name(WindowKind::kAll), "all");
  EXPECT_FALSE(ParseWindowKind("yearly"));
}

}  // namespace
}  // namespace maejin
