#include "domain/waiting_room/entry_rate.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

const Time kRateStart = TimeFromMillis(1'794'736'800'000);

RoomSettings WithRate(std::uint32_t per_minute, Admission admission = Admission::kPush) {
  RoomSettings settings;
  settings.rate_per_minute = per_minute;
  settings.admission = admission;
  settings.turn = Seconds{60};
  return settings;
}

// A rate whose first entry is spent.
EntryRate Spent(const RoomSettings& settings) {
  EntryRate rate;
  rate.Restart(kRateStart);
  rate.Settle(settings, true, kRateStart);
  rate.Spend(settings);
  return rate;
}

TEST(EntryRate, NewRateAllowsOneEntryAtOnce) {
  const auto settings = WithRate(60);
  EntryRate rate;
  rate.Restart(kRateStart);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart), 1);
  EXPECT_EQ(rate.NextAt(settings), Time{});
}

TEST(EntryRate, SpentEntryReturnsAfterItsShareOfAMinute) {
  const auto settings = WithRate(60);
  const auto rate = Spent(settings);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart + Millis{999}), 0);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart + Millis{1000}), 1);
  EXPECT_EQ(rate.NextAt(settings), kRateStart + Millis{1000});
}

TEST(EntryRate, NextEntryIsNeverTooEarlyWhereTheRateDoesNotDivideAMinute) {
  const auto settings = WithRate(7);
  const auto rate = Spent(settings);
  const auto next = rate.NextAt(settings);
  EXPECT_EQ(rate.Allowed(settings, true, next), 1);
  EXPECT_EQ(rate.Allowed(settings, true, next - Millis{1}), 0);
}

TEST(EntryRate, LullIsFollowedByNoBurst) {
  const auto settings = WithRate(60);
  EXPECT_EQ(Spent(settings).Allowed(settings, true, kRateStart + Seconds{3600}), 1);
}

TEST(EntryRate, ClaimRoomAccruesOneTurnWhileAFanIsEligible) {
  const auto settings = WithRate(60, Admission::kClaim);
  const auto rate = Spent(settings);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart + Seconds{3600}), 60);
  EXPECT_EQ(rate.Allowed(settings, false, kRateStart + Seconds{3600}), 1) << "no fan could use it";
}

TEST(EntryRate, NoShowAllowsOneMoreEntryAndIsSpentFirst) {
  const auto settings = WithRate(60);
  auto rate = Spent(settings);
  rate.AddNoShow(settings);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart), 1);
  EXPECT_EQ(rate.NextAt(settings), Time{});
  rate.Spend(settings);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart), 0);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart + Millis{1000}), 1) << "the credit was not spent";
}

TEST(EntryRate, NoShowsAreKeptForOneMinuteOfEntriesAtMost) {
  const auto settings = WithRate(2);
  auto rate = Spent(settings);
  for (int i = 0; i < 5; ++i) rate.AddNoShow(settings);
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart), 2);
  rate.ClearNoShows();
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart), 0);
}

TEST(EntryRate, RestartKeepsOneEntryOfCreditAtMost) {
  const auto settings = WithRate(60, Admission::kClaim);
  auto rate = Spent(settings);
  rate.Settle(settings, true, kRateStart + Seconds{30});
  ASSERT_EQ(rate.Allowed(settings, true, kRateStart + Seconds{30}), 30);
  rate.Restart(kRateStart + Seconds{30});
  EXPECT_EQ(rate.Allowed(settings, true, kRateStart + Seconds{30}), 1);
}

TEST(EntryRate, ClockThatGoesBackAddsNothing) {
  const auto settings = WithRate(60);
  EXPECT_EQ(Spent(settings).Allowed(settings, true, kRateStart - Seconds{60}), 0);
}

TEST(EntryRate, RoomWithoutARateSpendsNothing) {
  RoomSettings settings;
  EntryRate rate;
  rate.Spend(settings);
  EXPECT_EQ(rate.NextAt(settings), Time{});
}

}  // namespace
}  // namespace maejin
