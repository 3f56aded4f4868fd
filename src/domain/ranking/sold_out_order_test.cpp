#include "domain/ranking/sold_out_order.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr auto kMs = DurationUnit::kMillis;
constexpr auto kSec = DurationUnit::kSeconds;
constexpr Time kOpening = TimeFromMillis(1'735'689'600'000);  // 2025-01-01T00:00Z

SoldOutKey Key(Millis duration, std::int64_t dates = 1, Time opening = kOpening, std::int64_t id = 1) {
  return {duration, dates, opening, id};
}

TEST(CompositeScore, MatchesTheRequirementsExamples) {
  EXPECT_EQ(CompositeScore(Key(Seconds{300}, 5)), "300951735689600");
  EXPECT_EQ(CompositeScore(Key(Seconds{300}, 3)), "300971735689600");
  EXPECT_TRUE(RanksBefore(Key(Seconds{300}, 5), Key(Seconds{300}, 3), kSec));
}

TEST(CompositeScore, HasNoLeadingZerosAndNoUpperEnd) {
  EXPECT_EQ(CompositeScore(Key(Millis{0}, 5)), "951735689600");
  EXPECT_EQ(CompositeScore(Key(Millis{999}, 100)), "1735689600");
  EXPECT_EQ(CompositeScore(Key(std::chrono::days{107}, 5)), "9244800951735689600");
  EXPECT_EQ(CompositeScore(Key(std::chrono::days{3653}, 5)), "315619200951735689600");  // beyond 2^64
}

TEST(CompositeScore, PadsTheDatesToTwoDigits) {
  EXPECT_EQ(CompositeScore(Key(Seconds{1}, 1)), "1991735689600");
  EXPECT_EQ(CompositeScore(Key(Seconds{1}, 90)), "1101735689600");
  EXPECT_EQ(CompositeScore(Key(Seconds{1}, 91)), "1091735689600");
  EXPECT_EQ(CompositeScore(Key(Seconds{1}, 99)), "1011735689600");
  EXPECT_EQ(CompositeScore(Key(Seconds{1}, 100)), "1001735689600");
  EXPECT_EQ(CompositeScore(Key(Seconds{1}, 101)), "1001735689600");
  EXPECT_TRUE(SameCompositeScore(Key(Seconds{1}, 100), Key(Seconds{1}, 400)));
  EXPECT_FALSE(SameCompositeScore(Key(Seconds{1}, 99), Key(Seconds{1}, 100)));
}

TEST(SoldOutOrder, IsExactForEveryDuration) {
  const std::vector<Millis> rising{Millis{0},
                                   Millis{1},
                                   Millis{100},
                                   Millis{300},
                                   Seconds{9006},
                                   Seconds{9007},
                                   Seconds{9008},
                                   std::chrono::days{107},
                                   Seconds{9244801},
                                   std::chrono::days{3652},
                                   std::chrono::days{3652} + Millis{1}};
  for (std::size_t i = 0; i + 1 < rising.size(); ++i) {
    EXPECT_TRUE(
        RanksBefore(Key(rising[i], 1, kOpening, 9), Key(rising[i + 1], 400, kOpening - Seconds{1}, 1), kMs));
    EXPECT_FALSE(RanksBefore(Key(rising[i + 1]), Key(rising[i]), kMs));
  }
}

TEST(SoldOutOrder, MoreDatesWinATieForAnyNumberOfDates) {
  const std::vector<std::int64_t> falling{400, 101, 100, 91, 90, 1};
  for (std::size_t i = 0; i + 1 < falling.size(); ++i) {
    EXPECT_TRUE(RanksBefore(Key(Seconds{300}, falling[i], kOpening + Seconds{1}, 2),
                            Key(Seconds{300}, falling[i + 1]), kSec))
        << falling[i];
  }
}

TEST(SoldOutOrder, EqualDatesOrderByOpeningThenId) {
  EXPECT_TRUE(
      RanksBefore(Key(Seconds{1}, 1, kOpening, 10), Key(Seconds{1}, 1, kOpening + Millis{1}, 2), kSec));
  EXPECT_TRUE(RanksBefore(Key(Seconds{1}, 1, kOpening, 2), Key(Seconds{1}, 1, kOpening, 10), kSec));
  EXPECT_EQ(Compare(Key(Seconds{1}), Key(Seconds{1}), kSec), std::strong_ordering::equal);
}

TEST(SoldOutOrder, BoardUnitDecidesTies) {
  EXPECT_TRUE(RanksBefore(Key(Millis{100}), Key(Millis{300}, 5), kMs));
  EXPECT_TRUE(RanksBefore(Key(Millis{300}, 5), Key(Millis{100}), kSec));
}

}  // namespace
}  // namespace maejin
