#include "domain/booking/booking_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maejin {
namespace {

using testing::ElementsAre;

const Time kDecidedAt = TimeFromMillis(1'794'736'800'000);
constexpr Seconds kMinute{60};

// One section "A" with one row of `seats` seats.
SeatMap SeatsOf(std::int32_t seats) {
  std::vector<Section> sections{{"A", 1, seats, 1000}};
  return SeatMap(std::make_shared<const SeatLayout>(std::move(sections), std::vector<SeatNumber>{}), 1);
}

HoldRequest RequestFor(std::vector<SeatNumber> seats) { return {.schedule = 7, .seats = std::move(seats)}; }

Reservation Held() {
  Reservation reservation;
  reservation.schedule = 7;
  reservation.seats = {1, 2};
  reservation.amount = 2000;
  reservation.held_at = kDecidedAt;
  reservation.expires_at = kDecidedAt + kMinute;
  return reservation;
}

Reservation WithStatus(ReservationStatus status) {
  auto reservation = Held();
  reservation.status = status;
  return reservation;
}

Payment PendingPaymentOf(const Reservation& reservation) {
  return MakePayment(reservation, {reservation.amount, "callback", "card"}, {{}, 5}, kDecidedAt);
}

// --- the sale

TEST(StartOfSale, DateWithItsOwnOpeningStartsThen) {
  const SaleWindow window{.concert_opens_at = kDecidedAt, .date_opens_at = kDecidedAt + kMinute};
  EXPECT_EQ(StartOf(window), kDecidedAt + kMinute);
}

TEST(StartOfSale, DateAddedAfterTheOpeningStartsAtItsCreation) {
  const SaleWindow window{.concert_opens_at = kDecidedAt, .date_created_at = kDecidedAt + kMinute};
  EXPECT_EQ(StartOf(window), kDecidedAt + kMinute);
}

TEST(StartOfSale, DateCreatedBeforeTheOpeningStartsAtTheOpening) {
  const SaleWindow window{.concert_opens_at = kDecidedAt, .date_created_at = kDecidedAt - kMinute};
  EXPECT_EQ(StartOf(window), kDecidedAt);
}

// --- holding

TEST(ChooseSeats, RequestedSeatsAreReturnedAscending) {
  EXPECT_THAT(ChooseSeats(SeatsOf(5), RequestFor({4, 2})).value(), ElementsAre(2, 4));
}

TEST(ChooseSeats, UnknownSectionIsRefusedBeforeSoldOut) {
  auto seats = SeatsOf(1);
  seats.Set(1, SeatState::kAssigned, 0);
  HoldRequest request{.schedule = 7, .best = BestAvailable{.count = 1, .section = "B"}};
  EXPECT_EQ(ChooseSeats(seats, request).error(), Refusal::kInvalidField);
}

TEST(ChooseSeats, SoldOutIsRefusedBeforeAnUnknownSeat) {
  auto seats = SeatsOf(1);
  seats.Set(1, SeatState::kAssigned, 0);
  EXPECT_EQ(ChooseSeats(seats, RequestFor({9})).error(), Refusal::kSoldOut);
}

TEST(ChooseSeats, SoldOutSaysWhetherHeldSeatsMayReturn) {
  auto seats = SeatsOf(1);
  seats.Set(1, SeatState::kHeld, 0);
  EXPECT_TRUE(ChooseSeats(seats, RequestFor({1})).error().may_return);
  seats.Set(1, SeatState::kAssigned, 0);
  EXPECT_FALSE(ChooseSeats(seats, RequestFor({1})).error().may_return);
}

TEST(ChooseSeats, UnknownSeatIsRefusedBeforeATakenSeat) {
  auto seats = SeatsOf(3);
  seats.Set(1, SeatState::kAssigned, 0);
  EXPECT_EQ(ChooseSeats(seats, RequestFor({1, 9})).error(), Refusal::kSeatNotFound);
}

TEST(ChooseSeats, TakenSeatIsRefusedBeforeAHeldSeat) {
  auto seats = SeatsOf(3);
  seats.Set(1, SeatState::kHeld, 0);
  seats.Set(2, SeatState::kAssigned, 1);
  EXPECT_EQ(ChooseSeats(seats, RequestFor({1, 2})).error(), Refusal::kSeatTaken);
  EXPECT_EQ(ChooseSeats(seats, RequestFor({1, 3})).error(), Refusal::kSeatHeld);
}

TEST(ChooseSeats, BlockedSeatIsRefusedAsTaken) {
  auto seats = SeatsOf(2);
  seats.Set(1, SeatState::kBlocked, SeatMap::kNoReservation);
  EXPECT_EQ(ChooseSeats(seats, RequestFor({1})).error(), Refusal::kSeatTaken);
}

TEST(IsAnswerTo, SameSeatsInAnyOrderAreTheSameRequest) {
  EXPECT_TRUE(IsAnswerTo(RequestFor({2, 1}), Held()));
  EXPECT_FALSE(IsAnswerTo(RequestFor({1, 3}), Held()));
  EXPECT_FALSE(IsAnswerTo(RequestFor({1}), Held()));
}

TEST(IsAnswerTo, AnotherScheduleIsAnotherRequest) {
  auto request = RequestFor({1, 2});
  request.schedule = 8;
  EXPECT_FALSE(IsAnswerTo(request, Held()));
}

TEST(IsAnswerTo, BestAvailableIsComparedByTheNumberOfSeats) {
  HoldRequest request{.schedule = 7, .best = BestAvailable{.count = 2}};
  EXPECT_TRUE(IsAnswerTo(request, Held()));
  request.best->count = 3;
  EXPECT_FALSE(IsAnswerTo(request, Held()));
}

TEST(MakeReservation, AmountIsTheSumOfPricesAndTheDeadlineFollowsTheHold) {
  const SeatLayout layout({{"A", 1, 2, 1000}, {"B", 1, 2, 300}}, {});
  ConcertDetails details;
  details.hold = kMinute;
  const auto made = MakeReservation(RequestFor({2, 3}), {{}, 9}, 4, details, layout, {2, 3}, kDecidedAt);
  EXPECT_EQ(made.amount, 1300);
  EXPECT_EQ(made.held_at, kDecidedAt);
  EXPECT_EQ(made.expires_at, kDecidedAt + kMinute);
  EXPECT_EQ(made.status, ReservationStatus::kHeld);
  EXPECT_EQ(made.concert, 4);
  EXPECT_EQ(made.number, 9);
}

TEST(ExtendDeadline, HoldIsExtendedOnce) {
  auto reservation = Held();
  ASSERT_TRUE(ExtendDeadline(reservation, kMinute, kDecidedAt).ok());
  EXPECT_EQ(reservation.expires_at, kDecidedAt + 2 * kMinute);
  EXPECT_EQ(ExtendDeadline(reservation, kMinute, kDecidedAt).error(), Refusal::kAlreadyExtended);
  EXPECT_EQ(reservation.expires_at, kDecidedAt + 2 * kMinute);
}

TEST(ExtendDeadline, HoldAtItsDeadlineIsRefused) {
  auto reservation = Held();
  EXPECT_EQ(ExtendDeadline(reservation, kMinute, reservation.expires_at).error(), Refusal::kHoldExpired);
}

TEST(ExtendDeadline, PaidReservationIsRefused) {
  auto reservation = WithStatus(ReservationStatus::kConfirmed);
  EXPECT_EQ(ExtendDeadline(reservation, kMinute, kDecidedAt).error(), Refusal::kHoldExpired);
}

TEST(StatusAfterCancel, EveryStatusHasItsResult) {
  const auto after = [](ReservationStatus status) { return StatusAfterCancel(WithStatus(status)); };
  EXPECT_EQ(after(ReservationStatus::kHeld).value(), ReservationStatus::kCancelled);
  EXPECT_EQ(after(ReservationStatus::kPaying).value(), ReservationStatus::kCancelled);
  EXPECT_EQ(after(ReservationStatus::kConfirmed).value(), ReservationStatus::kRefunded);
  EXPECT_EQ(after(ReservationStatus::kExpired).error(), Refusal::kHoldExpired);
  EXPECT_EQ(after(ReservationStatus::kCancelled).value(), std::nullopt) << "a repetition changes nothing";
  EXPECT_EQ(after(ReservationStatus::kRefunded).value(), std::nullopt) << "a repetition changes nothing";
}

// --- money

TEST(PaidAt, ClockOfANodeThatIsBehindDoesNotMakePaymentsGoBack) {
  const SaleWindow window{.concert_opens_at = kDecidedAt};
  EXPECT_EQ(PaidAt(window, kDecidedAt + kMinute, kDecidedAt), kDecidedAt + kMinute);
  EXPECT_EQ(PaidAt(window, {}, kDecidedAt - kMinute), kDecidedAt) << "never before the opening";
  EXPECT_EQ(PaidAt(window, kDecidedAt, kDecidedAt + kMinute), kDecidedAt + kMinute);
}

TEST(MakePayment, PaymentIsFencedByTheVersionOfTheHold) {
  auto reservation = Held();
  reservation.hold_ver = 3;
  const auto payment = PendingPaymentOf(reservation);
  EXPECT_EQ(payment.hold_ver, 3);
  EXPECT_EQ(payment.amount, 2000);
  EXPECT_EQ(payment.status, PaymentStatus::kPending);
}

TEST(Confirm, BothRecordsAreSettled) {
  auto reservation = WithStatus(ReservationStatus::kPaying);
  auto payment = PendingPaymentOf(reservation);
  Confirm(reservation, payment, kDecidedAt);
  EXPECT_EQ(reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(reservation.paid_at, kDecidedAt);
  EXPECT_EQ(payment.status, PaymentStatus::kCaptured);
}

TEST(ConfirmDeathTest, AnotherAmountEndsTheProcess) {
  auto reservation = WithStatus(ReservationStatus::kPaying);
  auto payment = PendingPaymentOf(reservation);
  payment.amount -= 1;
  EXPECT_DEATH(Confirm(reservation, payment, kDecidedAt), "amount of its reservation");
}

TEST(IsStale, ReportOfAPaymentThatChangedSinceItWasReadIsStale) {
  const auto reservation = Held();
  const auto seen = PendingPaymentOf(reservation);
  auto current = seen;
  const PaymentReport report{.payment = seen.id, .seen = seen};
  EXPECT_FALSE(IsStale(report, current));
  current.status = PaymentStatus::kRefundDue;
  EXPECT_TRUE(IsStale(report, current));
  EXPECT_FALSE(IsStale({.payment = seen.id}, current)) << "nothing was read before";
}

TEST(ResultOfCapture, HoldThatStandsGetsItsSeats) {
  const auto reservation = WithStatus(ReservationStatus::kPaying);
  EXPECT_EQ(ResultOfCapture(reservation, PendingPaymentOf(reservation), true, kDecidedAt),
            CaptureResult::kHeldSeats);
}

TEST(ResultOfCapture, ExpiredHoldGetsItsSeatsOnlyIfTheyAreAvailable) {
  const auto reservation = WithStatus(ReservationStatus::kExpired);
  EXPECT_EQ(ResultOfCapture(reservation, PendingPaymentOf(reservation), true, kDecidedAt),
            CaptureResult::kAvailableSeats);
}

TEST(ResultOfCapture, OlderPaymentIsRefunded) {
  const auto reservation = WithStatus(ReservationStatus::kPaying);
  EXPECT_EQ(ResultOfCapture(reservation, PendingPaymentOf(reservation), false, kDecidedAt),
            CaptureResult::kRefund);
}

TEST(ResultOfCapture, CancelledReservationIsRefunded) {
  const auto reservation = WithStatus(ReservationStatus::kCancelled);
  EXPECT_EQ(ResultOfCapture(reservation, PendingPaymentOf(reservation), true, kDecidedAt),
            CaptureResult::kRefund);
}

TEST(ResultOfCapture, PaymentOfAnEarlierHoldIsRefunded) {
  auto reservation = WithStatus(ReservationStatus::kPaying);
  const auto payment = PendingPaymentOf(reservation);
  reservation.hold_ver += 1;
  EXPECT_EQ(ResultOfCapture(reservation, payment, true, kDecidedAt), CaptureResult::kRefund);
}

TEST(ApplyReport, DeclinedNewestPaymentReturnsTheReservationToHeld) {
  auto reservation = WithStatus(ReservationStatus::kPaying);
  auto payment = PendingPaymentOf(reservation);
  const auto changes =
      ApplyReport({payment.id, PaymentChange::kDeclined}, reservation, payment, true, kDecidedAt);
  EXPECT_TRUE(changes.payment && changes.reservation);
  EXPECT_EQ(payment.status, PaymentStatus::kFailed);
  EXPECT_EQ(reservation.status, ReservationStatus::kHeld);
}

TEST(ApplyReport, DeclinedOlderPaymentKeepsTheReservationPaying) {
  auto reservation = WithStatus(ReservationStatus::kPaying);
  auto payment = PendingPaymentOf(reservation);
  const auto changes =
      ApplyReport({payment.id, PaymentChange::kDeclined}, reservation, payment, false, kDecidedAt);
  EXPECT_TRUE(changes.payment);
  EXPECT_FALSE(changes.reservation);
  EXPECT_EQ(reservation.status, ReservationStatus::kPaying);
}

TEST(ApplyReport, PaymentOfAHoldThatStandsIsNotAbandoned) {
  auto reservation = WithStatus(ReservationStatus::kPaying);
  auto payment = PendingPaymentOf(reservation);
  const PaymentReport report{payment.id, PaymentChange::kAbandoned};
  EXPECT_FALSE(ApplyReport(report, reservation, payment, true, kDecidedAt).payment);
  EXPECT_TRUE(ApplyReport(report, reservation, payment, true, reservation.expires_at).payment);
}

TEST(ApplyReport, StaleReportChangesNothing) {
  auto reservation = WithStatus(ReservationStatus::kCancelled);
  auto payment = PendingPaymentOf(reservation);
  PaymentReport report{payment.id, PaymentChange::kDeclined};
  report.seen = payment;
  payment.status = PaymentStatus::kRefundDue;
  EXPECT_FALSE(ApplyReport(report, reservation, payment, true, kDecidedAt).payment);
  EXPECT_EQ(payment.status, PaymentStatus::kRefundDue);
}

}  // namespace
}  // namespace maejin
