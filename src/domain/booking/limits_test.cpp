#include "domain/booking/limits.h"

#include <gtest/gtest.h>

#include "domain/booking/concert.h"

namespace maejin {
namespace {

constexpr Time kStart = TimeFromMillis(1'794'736'800'000);

TEST(UnpaidHolds, ThirdEndWithinTenMinutesBeginsTheCooldown) {
  UnpaidHolds unpaid;
  unpaid.Add(kStart);
  unpaid.Add(kStart + Seconds{300});
  EXPECT_FALSE(unpaid.CooldownEnd(Seconds{60}));
  unpaid.Add(kStart + Seconds{600});
  EXPECT_EQ(unpaid.CooldownEnd(Seconds{60}), kStart + Seconds{660});
}

TEST(UnpaidHolds, ThreeEndsInMoreThanTenMinutesBeginNone) {
  UnpaidHolds unpaid;
  unpaid.Add(kStart);
  unpaid.Add(kStart + Seconds{300});
  unpaid.Add(kStart + Seconds{600} + Millis{1});
  EXPECT_FALSE(unpaid.CooldownEnd(Seconds{60}));
  unpaid.Add(kStart + Seconds{700});
  EXPECT_EQ(unpaid.CooldownEnd(Seconds{60}), kStart + Seconds{760}) << "the first no longer counts";
}

TEST(UnpaidHolds, OrderOfAddingDoesNotMatter) {
  UnpaidHolds unpaid;
  for (const int seconds : {500, 100, 900, 300, 700}) unpaid.Add(kStart + Seconds{seconds});
  EXPECT_EQ(unpaid.CooldownEnd(Seconds{60}), kStart + Seconds{960});
}

TEST(UnpaidHolds, RemovedEndDoesNotCount) {
  UnpaidHolds unpaid;
  for (const int seconds : {1, 2, 3}) unpaid.Add(kStart + Seconds{seconds});
  unpaid.Remove(kStart + Seconds{2});
  EXPECT_FALSE(unpaid.CooldownEnd(Seconds{60}));
}

TEST(CheckLimits, CooldownIsRefusedBeforeTheNumberOfSeats) {
  ConcertDetails details;
  details.max_seats_per_user = 1;
  details.cooldown = Seconds{60};
  CustomerSeats customer{.in_concert = 1};
  EXPECT_EQ(CheckLimits(details, customer, 1, kStart).error(), Refusal::kTooManySeats);
  for (const int seconds : {1, 2, 3}) customer.unpaid.Add(kStart + Seconds{seconds});
  const auto refused = CheckLimits(details, customer, 1, kStart + Seconds{10});
  EXPECT_EQ(refused.error(), Refusal::kTooManyRequests);
  EXPECT_EQ(refused.error().retry_after_seconds, 53U);
  details.cooldown = Seconds{0};
  EXPECT_EQ(CheckLimits(details, customer, 1, kStart + Seconds{10}).error(), Refusal::kTooManySeats);
}

}  // namespace
}  // namespace maejin
