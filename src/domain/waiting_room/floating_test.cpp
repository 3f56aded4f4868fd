#include "domain/waiting_room/floating.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "domain/waiting_room/settings.h"

namespace maejin {
namespace {

const Floating kRange{60, 600, "https://shop.example/health"};

TEST(Floating, RateRisesSlowlyUpToItsMaximumWhileTheSiteIsEasy) {
  EXPECT_EQ(NextRate(60, kRange, 0), 87U);
  EXPECT_EQ(NextRate(300, kRange, kEasyLoad), 327U);
  EXPECT_EQ(NextRate(590, kRange, 0), 600U);
  EXPECT_EQ(NextRate(600, kRange, 0), 600U);
  EXPECT_EQ(NextRate(5, {5, 8, {}}, 0), 6U) << "a small range has steps, too";
}

TEST(Floating, RateFallsQuicklyDownToItsMinimumUnderHighLoad) {
  EXPECT_EQ(NextRate(600, kRange, kHighLoad + 1), 400U);
  EXPECT_EQ(NextRate(80, kRange, 100), 60U);
  EXPECT_EQ(NextRate(60, kRange, 1000), 60U);
  EXPECT_EQ(NextRate(2, {1, 9, {}}, 100), 1U);
}

TEST(Floating, RateStaysBetweenTheLoads) {
  for (const auto load : {kEasyLoad + 1, 80U, kHighLoad})
    EXPECT_EQ(NextRate(300, kRange, load), 300U) << load;
}

TEST(Floating, RoomWithoutARateBeginsAtItsMinimum) {
  EXPECT_EQ(NextRate({}, kRange, 80), 60U);
  EXPECT_EQ(NextRate(5, kRange, 80), 60U);
  EXPECT_EQ(NextRate(5000, kRange, 80), 600U);
}

TEST(Floating, RateSettlesBelowTheLimitOfASite) {
  // The site bears 300 entries a minute.
  std::uint32_t rate = 600;
  std::uint32_t highest = 0;
  std::uint32_t lowest = 600;
  for (int step = 0; step < 200; ++step) {
    rate = NextRate(rate, kRange, rate * 100 / 300);
    if (step > 20) {
      highest = std::max(highest, rate);
      lowest = std::min(lowest, rate);
    }
  }
  EXPECT_LE(highest, 300U);
  EXPECT_GE(lowest, 180U);
}

TEST(Floating, RateIsAlwaysWithinItsRange) {
  for (const std::uint32_t min : {1U, 2U, 60U, 100'000'000U - 7}) {
    for (const std::uint32_t width : {0U, 1U, 7U}) {
      const Floating floating{min, min + width, {}};
      for (const std::uint32_t rate : {0U, 1U, min, min + width, 4'294'967'295U}) {
        for (const SiteLoad load : {0U, 71U, 91U, 1000U}) {
          const auto next = NextRate(rate, floating, load);
          EXPECT_GE(next, min) << rate << " at " << load;
          EXPECT_LE(next, min + width) << rate << " at " << load;
        }
      }
    }
  }
}

TEST(Floating, LoadIsTheHeaderOrTheDurationOrAFault) {
  EXPECT_EQ(LoadOf({200, Millis{5}, 73}), 73U);
  EXPECT_EQ(LoadOf({200, Millis{0}, {}}), 0U);
  EXPECT_EQ(LoadOf({200, Millis{1500}, {}}), 75U);
  EXPECT_EQ(LoadOf({200, Millis{9000}, {}}), 100U);
  EXPECT_EQ(LoadOf({404, Millis{10}, {}}), 0U) << "the site answers";
  EXPECT_EQ(LoadOf({}), 100U) << "no answer";
  EXPECT_EQ(LoadOf({503, Millis{1}, {}}), 100U);
  EXPECT_EQ(LoadOf({503, Millis{1}, 20}), 100U) << "a failing site is no easy one";
  EXPECT_EQ(LoadOf({503, Millis{1}, 300}), 300U);
}

TEST(Floating, HeaderIsAWholeNumberOfPercent) {
  EXPECT_EQ(ParseSiteLoad("0"), 0U);
  EXPECT_EQ(ParseSiteLoad("1000"), 1000U);
  for (const auto* text : {"", "-1", "1001", "x", "7.5", "70%", "99999999999999999999"})
    EXPECT_FALSE(ParseSiteLoad(text)) << text;
}

TEST(Floating, TextOfASettingIsReadBack) {
  for (const auto& floating : {kRange, Floating{1, 1, {}}})
    EXPECT_EQ(ParseFloating(FloatingText(floating)), floating);
  EXPECT_EQ(FloatingText({}), "");
  for (const auto* text : {"", "5", "5 ", "x 5 u", "5 x u"}) EXPECT_FALSE(ParseFloating(text)) << text;
}

TEST(Floating, SettingClampsTheRateOfItsRoom) {
  RoomPatch patch;
  patch.floating.emplace(kRange);
  EXPECT_EQ(Apply({}, patch).rate_per_minute, 60U);
  patch.rate_per_minute.emplace(5000);
  const auto floats = Apply({}, patch);
  EXPECT_EQ(floats.rate_per_minute, 600U);
  RoomPatch removed;
  removed.floating.emplace();
  EXPECT_EQ(Apply(floats, removed).rate_per_minute, 600U) << "the rate stays";
}

TEST(Floating, StepChangesOnlyTheRateAndOnlyOfARoomThatFloats) {
  RoomSettings settings;
  RoomPatch step;
  step.float_load = 0;
  EXPECT_FALSE(ResolvePatch(settings, RoomState::kOpen, step, {}));
  settings.site.floating = kRange;
  settings.rate_per_minute = 300;
  RoomPatch expected;
  expected.rate_per_minute.emplace(327);
  EXPECT_EQ(ResolvePatch(settings, RoomState::kOpen, step, {}), expected);
  step.float_load = 80;
  EXPECT_FALSE(ResolvePatch(settings, RoomState::kOpen, step, {})) << "nothing changes";
}

TEST(Floating, StepKeepsTheObservedFlow) {
  RoomSettings before;
  before.rate_per_minute = 100;
  auto after = before;
  after.rate_per_minute = 127;
  EXPECT_TRUE(ChangesFlow(before, after));
  before.site.floating = after.site.floating = kRange;
  EXPECT_FALSE(ChangesFlow(before, after));
  after.capacity = 1;
  EXPECT_TRUE(ChangesFlow(before, after));
}

}  // namespace
}  // namespace maejin
