// The booking contract: every transition is in the event feed, once.
#include <gmock/gmock.h>

#include <algorithm>

#include "domain/booking/reservation_code.h"
#include "tests/contract/booking_contract.h"

namespace maejin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_P(BookingOperationsContract, IdsCountFromOneWithoutGapsAcrossRestarts) {
  const auto schedule = OpenConcert({9}).schedules[0].id;
  for (SeatNumber seat = 1; seat <= 4; ++seat) {
    ASSERT_TRUE(Hold(schedule, {seat}).ok());
    EXPECT_FALSE(Hold(schedule, {seat}, "late").ok()) << "a refusal takes no id";
    if (seat == 2) Restart();
  }
  const auto feed = Feed();
  for (std::size_t i = 0; i < feed.size(); ++i) EXPECT_EQ(feed[i].id, static_cast<std::int64_t>(i + 1));
  EXPECT_THAT(TypesAfter(0),
              ElementsAre("concert.created", "operator.action", "concert.opened", "operator.action",
                          "reservation.held", "reservation.held", "reservation.held", "reservation.held"));
}

TEST_P(BookingOperationsContract, EveryTransitionOfAReservationIsOneEvent) {
  const auto concert = OpenConcert({6});
  const auto schedule = concert.schedules[0].id;
  auto from = NewestEvent();
  const auto seen = [&] {
    const auto types = TypesAfter(from);
    from = NewestEvent();
    return types;
  };
  const auto first = *Hold(schedule, {1}, "anna", "key");
  ASSERT_TRUE(Hold(schedule, {1}, "anna", "key").ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.held")) << "the same request again is no transition";
  ASSERT_TRUE(RunTask(store().ExtendHold(ReservationRef{first.id, first.user}, now())).ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.extended"));
  const auto begun = Begin(first);
  EXPECT_THAT(seen(), ElementsAre()) << "a payment that has begun is no event";
  ASSERT_TRUE(Report(begun->payment->id, PaymentChange::kDeclined).ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.declined"));
  ASSERT_TRUE(Pay(first).ok());
  ASSERT_TRUE(Pay(first).ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.confirmed"));
  ASSERT_TRUE(Cancel(first).ok());
  ASSERT_TRUE(Cancel(first).ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.refunded"));
  ASSERT_TRUE(Cancel(*Hold(schedule, {2})).ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.held", "reservation.cancelled"));
  ASSERT_TRUE(Hold(schedule, {3}).ok());
  Pass(Seconds{300});
  store().ExpireHolds(now());
  EXPECT_THAT(seen(), ElementsAre("reservation.held", "reservation.expired"));
}

TEST_P(BookingOperationsContract, LastPaymentIsConfirmedThenSellsOutDateAndConcert) {
  const auto concert = OpenConcert({2});
  const auto held = *Hold(concert.schedules[0].id, {1, 2}, "anna");
  const auto from = NewestEvent();
  Pass(Millis{1500});
  ASSERT_TRUE(Pay(held).ok());
  EXPECT_THAT(TypesAfter(from),
              ElementsAre("reservation.confirmed", "schedule.sold-out", "concert.sold-out"));
  const auto feed = Feed();
  const auto& confirmed = feed[feed.size() - 3];
  EXPECT_EQ(confirmed.json,
            R"({"id":)" + std::to_string(confirmed.id) + R"(,"type":"reservation.confirmed","time":")" +
                FormatTime(now()) + R"(","subject":"reservation )" + held.id.ToString() +
                R"(","data":{"reservationId":")" + held.id.ToString() + R"(","code":")" +
                CodeOf(held.number) + R"(","concertId":)" + std::to_string(concert.id) + R"(,"scheduleId":)" +
                std::to_string(concert.schedules[0].id) +
                R"(,"userId":"anna","seats":[1,2],"amount":200,"status":"CONFIRMED","expiresAt":")" +
                FormatTime(held.expires_at) + R"(","paidAt":")" + FormatTime(now()) +
                R"(","endedAt":null}})");
  EXPECT_THAT(feed.back().json, HasSubstr(R"("dates":1,"seats":2)"));
}

TEST_P(BookingOperationsContract, OperatorsActionsAreEventsWithTheirEffects) {
  const auto concert = OpenConcert({4, 4});
  const auto first = concert.schedules[0].id;
  const auto second = concert.schedules[1].id;
  const auto paid = *Hold(first, {1});
  ASSERT_TRUE(Pay(paid).ok());
  auto from = NewestEvent();
  const auto seen = [&] {
    const auto types = TypesAfter(from);
    from = NewestEvent();
    return types;
  };
  ASSERT_TRUE(RunTask(operations().CancelReservation(paid.id, "twice", who())).ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.refunded", "operator.action"));
  ASSERT_TRUE(RunTask(operations().BlockSeats(first, {4}, who())).ok());
  EXPECT_THAT(seen(), ElementsAre("operator.action"));
  ASSERT_TRUE(RunTask(store().AddSchedules(concert.id, Dates({1}), now())).ok());
  EXPECT_THAT(seen(), ElementsAre("concert.changed", "operator.action"));
  ASSERT_TRUE(Hold(second, {1}).ok());
  EXPECT_THAT(seen(), ElementsAre("reservation.held"));
  ASSERT_TRUE(RunTask(operations().CancelSchedule(second, who())).ok());
  ASSERT_TRUE(RunTask(operations().CancelSchedule(second, who())).ok());
  store().ExpireHolds(now());
  EXPECT_THAT(seen(), ElementsAre("schedule.cancelled", "operator.action", "reservation.cancelled"));
  for (int times = 0; times < 2; ++times)
    EXPECT_EQ(RunTask(operations().CloseConcert(concert.id, who()))->status, ConcertStatus::kClosed);
  for (int times = 0; times < 2; ++times)
    EXPECT_EQ(RunTask(operations().CancelConcert(concert.id, who()))->status, ConcertStatus::kCancelled);
  EXPECT_THAT(seen(),
              ElementsAre("concert.closed", "operator.action", "concert.cancelled", "operator.action"))
      << "a repeated action is no transition";
}

TEST_P(BookingOperationsContract, OpeningByTimeIsOneEventAcrossRestarts) {
  ConcertDetails details;
  details.booking_open_at = now() + Seconds{60};
  const auto concert = CreateConcert({2}, details);
  store().ExpireHolds(now());
  EXPECT_THAT(TypesAfter(0), ElementsAre("concert.created", "operator.action"));
  Pass(Seconds{60});
  store().ExpireHolds(now());
  store().ExpireHolds(now());
  Restart();
  store().ExpireHolds(now());
  EXPECT_THAT(TypesAfter(0), ElementsAre("concert.created", "operator.action", "concert.opened"));
  EXPECT_THAT(Feed().back().json, HasSubstr(R"("subject":"concert )" + std::to_string(concert.id)));
}

}  // namespace
}  // namespace maejin
