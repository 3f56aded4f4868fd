// The booking contract: payments and sell-outs.
#include <gmock/gmock.h>

#include "tests/contract/booking_contract.h"

namespace maejin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(BookingContract, APaymentAtExactlyTheDeadlineIsLate) {
  ConcertDetails details;
  details.hold = Seconds{10};
  const auto schedule = OpenConcert({3}, details).schedules[0].id;
  const auto in_time = *Hold(schedule, {1});
  const auto late = *Hold(schedule, {2});
  Pass(Millis{9'999});
  EXPECT_TRUE(Pay(in_time).ok());
  Pass(Millis{1});
  EXPECT_EQ(Pay(late).error(), Refusal::kHoldExpired);
}

TEST_P(BookingContract, RepeatedPaymentReturnsTheSameResult) {
  const auto concert = OpenConcert({2});
  const auto schedule = concert.schedules[0].id;
  const auto held = *Hold(schedule, {1, 2});
  EXPECT_EQ(Pay(held, 199).error(), Refusal::kAmountMismatch);
  Pass(Millis{77});
  const auto paid = Pay(held);
  ASSERT_TRUE(paid.ok());
  EXPECT_EQ(paid->reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(paid->reservation.paid_at, now());
  EXPECT_TRUE(paid->reservation.schedule_sold_out);
  EXPECT_TRUE(paid->reservation.concert_sold_out);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAssigned);
  Pass(Seconds{5});
  const auto again = Pay(held);
  EXPECT_EQ(again->reservation.paid_at, paid->reservation.paid_at);
  EXPECT_TRUE(again->reservation.concert_sold_out);
  EXPECT_EQ(Pay(held, 1).error(), Refusal::kAmountMismatch);
  EXPECT_EQ(store().FindConcert(concert.id, now())->status, ConcertStatus::kSoldOut);
}

TEST_P(BookingContract, PaidAtNeverGoesBackWithinAConcert) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto first = *Hold(schedule, {1});
  const auto second = *Hold(schedule, {2});
  Pass(Millis{100});
  const auto paid = *Pay(first)->reservation.paid_at;
  Pass(Millis{-50});
  EXPECT_EQ(Pay(second)->reservation.paid_at, paid);
}

TEST_P(BookingContract, CancelReleasesTheSeatOnce) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  EXPECT_EQ(Cancel(held)->status, ReservationStatus::kCancelled);
  const auto next = *Hold(schedule, {1}, "next");
  EXPECT_EQ(Cancel(held)->status, ReservationStatus::kCancelled);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kHeld);
  EXPECT_EQ(Pay(held).error(), Refusal::kHoldExpired);
  EXPECT_TRUE(Pay(next).ok());
}

TEST_P(BookingContract, ARefundedSeatReturnsToSale) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  ASSERT_TRUE(Pay(held).ok());
  EXPECT_EQ(Cancel(held)->status, ReservationStatus::kRefunded);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
  EXPECT_TRUE(Hold(schedule, {1}, "next").ok());
}

TEST_P(BookingContract, IntentIsOpenUntilTheProviderAnswers) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const auto begun = Begin(held);
  EXPECT_EQ(begun->reservation.status, ReservationStatus::kPaying);
  EXPECT_EQ(Begin(held)->payment->id, begun->payment->id);
  EXPECT_EQ(Pay(held).error(), Refusal::kAlreadyPaying);
  Restart();
  ASSERT_EQ(RunTask(store().UnsettledPayments(now() + Seconds{1}, 10))->size(), 1U);
  const auto captured = Report(begun->payment->id, PaymentChange::kCaptured);
  EXPECT_EQ(captured->reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(captured->payment->status, PaymentStatus::kCaptured);
  const auto twice = Report(begun->payment->id, PaymentChange::kCaptured);
  EXPECT_EQ(twice->payment->status, PaymentStatus::kCaptured);
  EXPECT_THAT(*RunTask(store().UnsettledPayments(now() + Seconds{1}, 10)), IsEmpty());
}

TEST_P(BookingContract, LimitOfUnsettledPaymentsKeepsTheOldest) {
  const auto first = OpenConcert({3}).schedules[0].id;
  const auto second = OpenConcert({3}).schedules[0].id;
  const auto oldest = Begin(*Hold(second, {1}))->payment->id;
  Pass(Seconds{1});
  const auto newer = Begin(*Hold(first, {1}))->payment->id;
  const auto before = now() + Seconds{1};
  const auto ids_of = [&](std::size_t limit) {
    std::vector<PaymentId> ids;
    const auto payments = RunTask(store().UnsettledPayments(before, limit));
    for (const auto& payment : *payments) ids.push_back(payment.id);
    return ids;
  };
  EXPECT_THAT(ids_of(1), ElementsAre(oldest));
  EXPECT_THAT(ids_of(10), ElementsAre(oldest, newer));
}

TEST_P(BookingContract, RefundThatIsDueIsReadWhateverTheNumberOfPendingPayments) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  std::vector<PaymentId> pending;
  for (const SeatNumber seat : {1, 2}) {
    pending.push_back(Begin(*Hold(schedule, {seat}, "walked-away-" + std::to_string(seat)))->payment->id);
    Pass(Seconds{1});
  }
  const auto cancelled = *Hold(schedule, {3});
  const auto refund = Begin(cancelled)->payment->id;
  ASSERT_TRUE(Report(refund, PaymentChange::kCaptured).ok());
  ASSERT_TRUE(Cancel(cancelled).ok());
  const auto ids_of = [&](std::size_t limit) {
    std::vector<PaymentId> ids;
    const auto payments = RunTask(store().UnsettledPayments(now() + Seconds{1}, limit));
    for (const auto& payment : *payments) ids.push_back(payment.id);
    return ids;
  };
  EXPECT_THAT(ids_of(1), ElementsAre(refund, pending[0]));
  EXPECT_THAT(ids_of(10), ElementsAre(refund, pending[0], pending[1]));
}

TEST_P(BookingContract, DeclinedPaymentKeepsTheHold) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const auto begun = Begin(held);
  const auto declined = Report(begun->payment->id, PaymentChange::kDeclined);
  EXPECT_EQ(declined->reservation.status, ReservationStatus::kHeld);
  EXPECT_NE(Begin(held)->payment->id, begun->payment->id);
}

TEST_P(BookingContract, LateCaptureTakesTheSeatIfStillFree) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto begun = Begin(*Hold(schedule, {1}));
  Pass(Seconds{301});
  store().ExpireHolds(now());
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
  const auto captured = Report(begun->payment->id, PaymentChange::kCaptured);
  EXPECT_EQ(captured->reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAssigned);
}

TEST_P(BookingContract, LateCaptureIsRefundedIfTheSeatIsTaken) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto begun = Begin(*Hold(schedule, {1, 2}));
  Pass(Seconds{301});
  store().ExpireHolds(now());
  ASSERT_TRUE(Hold(schedule, {2}, "another").ok());
  const auto captured = Report(begun->payment->id, PaymentChange::kCaptured);
  EXPECT_EQ(captured->payment->status, PaymentStatus::kRefundDue);
  EXPECT_EQ(captured->reservation.status, ReservationStatus::kExpired);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
  Restart();
  ASSERT_EQ(RunTask(store().UnsettledPayments(now() + Seconds{1}, 10))->size(), 1U);
  const auto refunded = Report(begun->payment->id, PaymentChange::kRefunded);
  EXPECT_EQ(refunded->payment->status, PaymentStatus::kRefunded);
}

TEST_P(BookingContract, CaptureForACancelledReservationIsRefunded) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const auto begun = Begin(held);
  ASSERT_TRUE(Cancel(held).ok());
  const auto captured = Report(begun->payment->id, PaymentChange::kCaptured);
  EXPECT_EQ(captured->payment->status, PaymentStatus::kRefundDue);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
}

TEST_P(BookingContract, APaymentIsAbandonedOnlyWhenItsHoldIsOver) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const auto begun = Begin(held);
  const auto id = begun->payment->id;
  EXPECT_EQ(Report(id, PaymentChange::kAbandoned)->payment->status, PaymentStatus::kPending);
  Pass(Seconds{300});
  store().ExpireHolds(now());
  EXPECT_EQ(Report(id, PaymentChange::kAbandoned)->payment->status, PaymentStatus::kRefundDue);
  Restart();
  const auto captured = Report(id, PaymentChange::kCaptured);
  EXPECT_EQ(captured->payment->status, PaymentStatus::kRefundDue) << "it goes back, free seat or not";
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
  EXPECT_EQ(Report(id, PaymentChange::kRefunded)->payment->status, PaymentStatus::kRefunded);
}

TEST_P(BookingContract, NoRefundIsDueWithoutACapture) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto begun = Begin(*Hold(schedule, {1}));
  Pass(Seconds{300});
  store().ExpireHolds(now());
  ASSERT_TRUE(Report(begun->payment->id, PaymentChange::kAbandoned).ok());
  const auto closed = Report(begun->payment->id, PaymentChange::kNothingTaken);
  EXPECT_EQ(closed->payment->status, PaymentStatus::kFailed);
  EXPECT_THAT(*RunTask(store().UnsettledPayments(now() + Seconds{1}, 10)), IsEmpty());
}

TEST_P(BookingContract, DeclineAfterALateCaptureKeepsTheRefundDue) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const auto id = Begin(held)->payment->id;
  ASSERT_TRUE(Cancel(held).ok());
  EXPECT_EQ(Report(id, PaymentChange::kCaptured)->changed_from, PaymentStatus::kPending);
  for (const auto change : {PaymentChange::kDeclined, PaymentChange::kAbandoned, PaymentChange::kCaptured}) {
    const auto kept = Report(id, change);
    EXPECT_EQ(kept->payment->status, PaymentStatus::kRefundDue) << Name(change);
    EXPECT_FALSE(kept->changed_from) << Name(change);
  }
  Restart();
  ASSERT_EQ(RunTask(store().UnsettledPayments(now() + Seconds{1}, 10))->size(), 1U);
  EXPECT_EQ(Report(id, PaymentChange::kRefunded)->payment->status, PaymentStatus::kRefunded);
}

TEST_P(BookingContract, CaptureMakesAnOlderAnswerToTheRefundStale) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto id = Begin(*Hold(schedule, {1}))->payment->id;
  Pass(Seconds{300});
  store().ExpireHolds(now());
  const auto asked = Report(id, PaymentChange::kAbandoned)->payment;
  ASSERT_EQ(asked->status, PaymentStatus::kRefundDue);
  ASSERT_EQ(Report(id, PaymentChange::kCaptured)->payment->status, PaymentStatus::kRefundDue);
  Restart();
  EXPECT_EQ(Report(id, PaymentChange::kNothingTaken, asked)->payment->status, PaymentStatus::kRefundDue);
  const auto again = RunTask(store().FindPayment(id, now()))->payment;
  EXPECT_EQ(Report(id, PaymentChange::kNothingTaken, again)->payment->status, PaymentStatus::kRefunded)
      << "the provider had the money, and voided it";
}

// Changes that need no seats, in every status: the store does what the table says.
TEST_P(BookingContract, EveryReportInEveryStatusFollowsTheTable) {
  const auto schedule = OpenConcert({100}).schedules[0].id;
  SeatNumber seat = 0;
  const std::vector<std::vector<PaymentChange>> ways{
      {},
      {PaymentChange::kDeclined},
      {PaymentChange::kCapturedLate},
      {PaymentChange::kCapturedLate, PaymentChange::kRefunded}};
  for (const auto& way : ways) {
    for (const auto change :
         {PaymentChange::kDeclined, PaymentChange::kAbandoned, PaymentChange::kCapturedLate,
          PaymentChange::kRefunded, PaymentChange::kNothingTaken}) {
      const auto held = *Hold(schedule, {++seat});
      const auto id = Begin(held)->payment->id;
      ASSERT_TRUE(Cancel(held).ok());
      for (const auto step : way) ASSERT_TRUE(Report(id, step).ok());
      auto expected = *RunTask(store().FindPayment(id, now()))->payment;
      ApplyChange(expected, change, now());
      EXPECT_EQ(Report(id, change)->payment->status, expected.status) << seat << " " << Name(change);
    }
  }
}

TEST_P(BookingContract, MoneyThatComesAfterADeclineGetsTheSeatOrGoesBack) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto first = *Hold(schedule, {1});
  const auto declined = Begin(first);
  ASSERT_TRUE(Report(declined->payment->id, PaymentChange::kDeclined).ok());
  const auto captured = Report(declined->payment->id, PaymentChange::kCaptured);
  EXPECT_EQ(captured->reservation.status, ReservationStatus::kConfirmed);

  const auto second = *Hold(schedule, {2});
  const auto before = Begin(second);
  ASSERT_TRUE(Report(before->payment->id, PaymentChange::kDeclined).ok());
  const auto after = Begin(second);
  const auto late = Report(before->payment->id, PaymentChange::kCaptured);
  EXPECT_EQ(late->payment->status, PaymentStatus::kRefundDue) << "another payment has taken its place";
  EXPECT_EQ(Report(after->payment->id, PaymentChange::kCaptured)->reservation.status,
            ReservationStatus::kConfirmed);
}

TEST_P(BookingContract, ReservationShowsItsPaymentStatus) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const ReservationRef claim{held.id, held.user};
  EXPECT_FALSE(RunTask(store().FindReservation(claim, now()))->payment);
  const auto begun = Begin(held);
  EXPECT_EQ(RunTask(store().FindReservation(claim, now()))->payment->status, PaymentStatus::kPending);
  ASSERT_TRUE(Report(begun->payment->id, PaymentChange::kCaptured).ok());
  ASSERT_TRUE(Cancel(held).ok());
  Restart();
  const auto found = RunTask(store().FindReservation(claim, now()));
  EXPECT_EQ(found->reservation.status, ReservationStatus::kRefunded);
  EXPECT_EQ(found->payment->status, PaymentStatus::kRefundDue);
}

TEST_P(BookingContract, TheLastSeatSellsOutTheScheduleAndTheConcertOnce) {
  const auto concert = OpenConcert({2, 1});
  const auto opened_at = now();
  const auto first = concert.schedules[0].id;
  const auto second = concert.schedules[1].id;
  Pass(Millis{10});
  ASSERT_TRUE(Pay(*Hold(first, {1})).ok());
  const auto last_of_first = Pay(*Hold(first, {2}));
  EXPECT_TRUE(last_of_first->reservation.schedule_sold_out);
  EXPECT_FALSE(last_of_first->reservation.concert_sold_out);
  const auto first_sold_out_at = now();
  Pass(Millis{7});
  ASSERT_TRUE(Pay(*Hold(second, {1})).ok());
  const auto schedules = Facts<ScheduleSoldOut>();
  ASSERT_EQ(schedules.size(), 2U);
  EXPECT_EQ(schedules[0].schedule, first);
  EXPECT_EQ(schedules[0].seats, 2);
  EXPECT_EQ(schedules[0].started_at, opened_at);
  EXPECT_EQ(schedules[0].sold_out_at, first_sold_out_at);
  const auto concerts = Facts<ConcertSoldOut>();
  ASSERT_EQ(concerts.size(), 1U);
  EXPECT_EQ(concerts[0].dates, 2);
  EXPECT_EQ(concerts[0].seats, 3);
  EXPECT_EQ(concerts[0].booking_open_at, opened_at);
  EXPECT_EQ(concerts[0].sold_out_at, now());
  EXPECT_EQ(store().FindConcert(concert.id, now())->sold_out_at, now());
}

TEST_P(BookingContract, TheFirstSellOutStands) {
  const auto concert = OpenConcert({1});
  const auto schedule = concert.schedules[0].id;
  const auto held = *Hold(schedule, {1});
  ASSERT_TRUE(Pay(held).ok());
  const auto sold_out_at = now();
  ASSERT_TRUE(Cancel(held).ok());
  EXPECT_EQ(store().FindConcert(concert.id, now())->status, ConcertStatus::kOpen);
  Restart();
  Pass(Seconds{60});
  EXPECT_TRUE(Pay(*Hold(schedule, {1}, "second"))->reservation.schedule_sold_out);
  const auto added = RunTask(store().AddSchedules(concert.id, Dates({1}), now()));
  Pass(Seconds{60});
  ASSERT_TRUE(Pay(*Hold(added->schedules[1].id, {1})).ok());
  ASSERT_EQ(Facts<ConcertSoldOut>().size(), 1U);
  EXPECT_EQ(Facts<ConcertSoldOut>()[0].sold_out_at, sold_out_at);
  const auto schedules = Facts<ScheduleSoldOut>();
  ASSERT_EQ(schedules.size(), 2U);
  EXPECT_EQ(schedules[1].started_at, now() - Seconds{60}) << "a date added later starts when it was added";
  EXPECT_EQ(store().FindConcert(concert.id, now())->sold_out_at, sold_out_at);
}

TEST_P(BookingContract, AHeldSeatIsNotSold) {
  const auto schedule = OpenConcert({2}).schedules[0].id;
  ASSERT_TRUE(Hold(schedule, {1}).ok());
  ASSERT_TRUE(Pay(*Hold(schedule, {2})).ok());
  EXPECT_THAT(Facts<ScheduleSoldOut>(), IsEmpty());
}

TEST_P(BookingContract, ProgressCountsHoldsAndTakesThemBackFromTheirDay) {
  ConcertDetails details;
  details.hold = Seconds{10};
  const auto schedule = OpenConcert({5}, details).schedules[0].id;
  const auto held_at = now();
  ASSERT_TRUE(Hold(schedule, {1, 2}).ok());
  Pass(Seconds{10});
  store().ExpireHolds(now());
  const auto held = *Hold(schedule, {3});
  ASSERT_TRUE(Pay(held).ok());
  ASSERT_TRUE(Cancel(held).ok());
  const auto progress = Facts<ProgressChanged>();
  ASSERT_EQ(progress.size(), 4U);
  EXPECT_EQ(progress[0].seats, 2);
  EXPECT_EQ(progress[1].seats, -2);
  EXPECT_EQ(progress[1].held_at, held_at);
  EXPECT_EQ(progress[2].seats, 1);
  EXPECT_EQ(progress[3].seats, -1);
}

TEST_P(BookingContract, EventIdsGrowAcrossARestart) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  for (SeatNumber seat = 1; seat <= 5; ++seat) {
    ASSERT_TRUE(Pay(*Hold(schedule, {seat})).ok());
    if (seat % 2 == 0) Restart();
  }
  std::uint64_t last = 0;
  for (const auto& event : Events()) {
    EXPECT_GT(event.id, last);
    last = event.id;
  }
}

}  // namespace
}  // namespace maejin
