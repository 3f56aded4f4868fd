// Concerts, holds and restarts. Payments and sell-outs are in booking_contract_money.cpp.
#include "tests/contract/booking_contract.h"

#include <gmock/gmock.h>

namespace maejin {
namespace {

using testing::ElementsAre;

TEST_P(BookingContract, AConcertWithoutAnOpeningCannotSell) {
  const auto concert = CreateConcert({10});
  EXPECT_EQ(concert.status, ConcertStatus::kScheduled);
  EXPECT_EQ(Hold(concert.schedules[0].id, {1}).error(), Refusal::kNotOpen);
}

TEST_P(BookingContract, OpeningRecordsItsTimeOnce) {
  const auto concert = CreateConcert({10});
  Pass(Millis{1234});
  const auto opened = RunTask(store().OpenConcert(concert.id, now()));
  EXPECT_EQ(opened->details.booking_open_at, now());
  EXPECT_EQ(opened->status, ConcertStatus::kOpen);
  EXPECT_EQ(RunTask(store().OpenConcert(concert.id, now())).error(), Refusal::kAlreadyOpen);
  EXPECT_EQ(RunTask(store().OpenConcert(999, now())).error(), Refusal::kConcertNotFound);
}

TEST_P(BookingContract, ConcertOpensAtItsOpeningTime) {
  ConcertDetails details;
  details.booking_open_at = now() + Millis{500};
  const auto schedule = CreateConcert({10}, details).schedules[0].id;
  Pass(Millis{499});
  EXPECT_EQ(Hold(schedule, {1}).error(), Refusal::kNotOpen);
  Pass(Millis{1});
  EXPECT_TRUE(Hold(schedule, {1}).ok());
}

TEST_P(BookingContract, SeatsAreNumberedThroughTheSections) {
  SchedulePlan plan;
  plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
  plan.sections = {{"R", 2, 3, 500}, {"S", 1, 4, 100}};
  plan.blocked = {10};
  plan.wheelchair = {7};
  const auto concert = *RunTask(store().CreateConcert(ConcertDetails{"T", "A", "V"}, {plan}, now()));
  EXPECT_EQ(concert.counts.ForSale(), 9);
  Restart();
  const auto seats = *store().ReadSeats(concert.schedules[0].id);
  ASSERT_EQ(seats.layout->size(), 10);
  EXPECT_EQ(seats.layout->RowOf(3).row, 1);
  EXPECT_EQ(seats.layout->RowOf(4).row, 2);
  EXPECT_EQ(seats.layout->PriceOf(6), 500);
  EXPECT_EQ(seats.layout->PriceOf(7), 100);
  EXPECT_EQ(seats.states[9], SeatState::kBlocked);
  EXPECT_THAT(seats.layout->wheelchair(), ElementsAre(7));
}

TEST_P(BookingContract, ConcertsAreListedInPages) {
  for (int i = 0; i < 3; ++i) CreateConcert({1});
  const auto first = store().ListConcerts(0, 2, now());
  ASSERT_EQ(first.size(), 2U);
  EXPECT_LT(first[0].id, first[1].id);
  EXPECT_EQ(store().ListConcerts(first[1].id, 2, now()).size(), 1U);
}

TEST_P(BookingContract, StockFollowsEverySeat) {
  const auto concert = OpenConcert({3, 2});
  const auto held = *Hold(concert.schedules[0].id, {1, 2});
  auto stock = *store().StockAtOnce(concert.id, now());
  EXPECT_EQ(stock.total, 5);
  EXPECT_EQ(stock.available, 3);
  EXPECT_EQ(stock.held, 2);
  ASSERT_TRUE(Pay(held).ok());
  stock = *store().StockAtOnce(concert.id, now());
  EXPECT_EQ(stock.available, 3);
  EXPECT_EQ(stock.held, 0);
  EXPECT_FALSE(store().StockAtOnce(12345, now()).has_value());
}

TEST_P(BookingContract, StockOfASoldOutConcertNamesItsEndFromTheOpeningOn) {
  ConcertDetails details;
  details.booking_open_at = now() + Millis{1000};
  const auto concert = CreateConcert({1}, details);
  EXPECT_EQ(store().StockAtOnce(concert.id, now())->end, SaleEnd::kNone);
  Pass(Millis{1000});
  ASSERT_TRUE(Pay(*Hold(concert.schedules[0].id, {1})).ok());
  EXPECT_EQ(store().StockAtOnce(concert.id, now())->end, SaleEnd::kSoldOut);
  EXPECT_EQ(store().StockAtOnce(concert.id, now())->available, 0);
}

TEST_P(BookingContract, DateIsShownWithItsConcertAndItsSeatsForSale) {
  const auto concert = OpenConcert({3, 2});
  ASSERT_TRUE(Hold(concert.schedules[0].id, {1}).ok());
  const auto show = *store().FindShow(concert.schedules[0].id);
  EXPECT_EQ(show.concert, concert.id);
  EXPECT_EQ(show.title, "Title");
  EXPECT_EQ(show.artist, "Artist");
  EXPECT_EQ(show.venue, "Venue");
  EXPECT_EQ(show.for_sale, 3) << "held seats count";
  EXPECT_EQ(store().FindShow(12345).error(), Refusal::kScheduleNotFound);
}

TEST_P(BookingContract, AHoldTakesAllItsSeatsOrNone) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  ASSERT_TRUE(Hold(schedule, {2}, "first").ok());
  const auto refused = Hold(schedule, {1, 2, 3}, "second");
  EXPECT_EQ(refused.error(), Refusal::kSeatHeld);
  EXPECT_EQ(refused.error().about, "2");
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
  const auto held = Hold(schedule, {3, 1}, "second");
  ASSERT_TRUE(held.ok());
  EXPECT_THAT(held->seats, ElementsAre(1, 3));
  EXPECT_EQ(held->amount, 200);
  EXPECT_EQ(held->status, ReservationStatus::kHeld);
  EXPECT_EQ(held->expires_at, now() + Seconds{300});
  ExpectCountsAddUp(schedule);
}

TEST_P(BookingContract, RefusalsOfAHoldComeInAFixedOrder) {
  const auto schedule = OpenConcert({4}).schedules[0].id;
  ASSERT_TRUE(Pay(*Hold(schedule, {1}, "a")).ok());
  ASSERT_TRUE(Hold(schedule, {2}, "b").ok());
  EXPECT_EQ(Hold(schedule + 100, {1}).error(), Refusal::kScheduleNotFound);
  EXPECT_EQ(Hold(schedule, {99, 1, 2}).error(), Refusal::kSeatNotFound);
  EXPECT_EQ(Hold(schedule, {1, 2}).error(), Refusal::kSeatTaken);
  EXPECT_EQ(Hold(schedule, {2, 3}).error(), Refusal::kSeatHeld);
}

TEST_P(BookingContract, SoldOutRefusalSaysWhetherSeatsMayReturn) {
  const auto schedule = OpenConcert({2}).schedules[0].id;
  const auto first = *Hold(schedule, {1});
  const auto second = *Hold(schedule, {2});
  const auto held = Hold(schedule, {1});
  EXPECT_EQ(held.error(), Refusal::kSoldOut);
  EXPECT_TRUE(held.error().may_return);
  ASSERT_TRUE(Pay(first).ok());
  ASSERT_TRUE(Pay(second).ok());
  const auto sold = Hold(schedule, {1});
  EXPECT_EQ(sold.error(), Refusal::kSoldOut);
  EXPECT_FALSE(sold.error().may_return);
}

TEST_P(BookingContract, AHoldIsExclusiveUntilItsDeadlineAndFreeAtIt) {
  ConcertDetails details;
  details.hold = Seconds{10};
  const auto schedule = OpenConcert({3}, details).schedules[0].id;
  const auto held = *Hold(schedule, {1}, "first");
  Pass(Millis{9'999});
  store().ExpireHolds(now());
  EXPECT_EQ(Hold(schedule, {1}, "second").error(), Refusal::kSeatHeld);
  Pass(Millis{1});
  store().ExpireHolds(now());
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
  EXPECT_EQ(Read(held).status, ReservationStatus::kExpired);
  EXPECT_TRUE(Hold(schedule, {1}, "second").ok());
}

TEST_P(BookingContract, AHoldIsExtendedOnce) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const ReservationRef claim{held.id, held.user};
  const auto extended = RunTask(store().ExtendHold(claim, now()));
  EXPECT_EQ(extended->expires_at, held.expires_at + Seconds{300});
  EXPECT_EQ(RunTask(store().ExtendHold(claim, now())).error(), Refusal::kAlreadyExtended);
  Pass(Seconds{300});
  store().ExpireHolds(now());
  EXPECT_TRUE(Pay(held).ok());
}

TEST_P(BookingContract, SameKeyGetsTheSameReservationAcrossARestart) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  const auto first = *Hold(schedule, {1, 2}, "fan", "key-1");
  EXPECT_EQ(Hold(schedule, {2, 1}, "fan", "key-1")->id, first.id);
  Restart();
  EXPECT_EQ(Hold(schedule, {1, 2}, "fan", "key-1")->id, first.id);
  EXPECT_EQ(Hold(schedule, {3}, "fan", "key-1").error(), Refusal::kIdempotencyMismatch);
  EXPECT_EQ(Hold(schedule, {1, 2}, "another", "key-1").error(), Refusal::kSeatHeld);
}

TEST_P(BookingContract, SameKeyRepeatsBestSeatsAndRefusesAnotherCount) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  const auto best = [&](std::int32_t count) {
    HoldRequest request{
        .schedule = schedule, .best = BestAvailable{count}, .user = "fan", .idempotency_key = "k"};
    return RunTask(store().Hold(std::move(request), now()));
  };
  const auto first = *best(2);
  EXPECT_EQ(best(2)->id, first.id);
  EXPECT_EQ(best(3).error(), Refusal::kIdempotencyMismatch);
  EXPECT_EQ(Hold(schedule, first.seats, "fan", "k")->id, first.id);
}

TEST_P(BookingContract, LimitsPerCustomerCountHeldAndPaidSeats) {
  ConcertDetails details;
  details.max_seats_per_user = 3;
  details.max_seats_per_date = 2;
  const auto concert = OpenConcert({5, 5}, details);
  const auto first = concert.schedules[0].id;
  const auto second = concert.schedules[1].id;
  EXPECT_EQ(Hold(first, {1, 2, 3}).error(), Refusal::kTooManySeats);
  const auto held = *Hold(first, {1, 2});
  EXPECT_EQ(Hold(first, {3}).error(), Refusal::kTooManySeats);
  EXPECT_TRUE(Hold(second, {1}).ok());
  EXPECT_EQ(Hold(second, {2}).error(), Refusal::kTooManySeats);
  ASSERT_TRUE(Cancel(held).ok());
  EXPECT_TRUE(Hold(second, {2}).ok());
  EXPECT_TRUE(Hold(first, {1, 2}, "another").ok());
}

TEST_P(BookingContract, CustomerCoolsDownAfterTheThirdUnpaidHoldOfADateInTenMinutes) {
  ConcertDetails details;
  details.hold = Seconds{5};
  details.cooldown = Seconds{30};
  const auto concert = OpenConcert({5, 5}, details);
  const auto schedule = concert.schedules[0].id;
  // Expired, cancelled just before its deadline, expired.
  ASSERT_TRUE(Hold(schedule, {1}).ok());
  Pass(Seconds{5});
  store().ExpireHolds(now());
  const auto cancelled = *Hold(schedule, {1});
  Pass(Millis{4'999});
  ASSERT_TRUE(Cancel(cancelled).ok());
  ASSERT_TRUE(Hold(schedule, {1}).ok());
  Pass(Seconds{5});
  store().ExpireHolds(now());
  const auto expect_refused = [&] {
    const auto refused = Hold(schedule, {1});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(), Refusal::kTooManyRequests);
    EXPECT_EQ(refused.error().retry_after_seconds, 30U);
  };
  expect_refused();
  Restart();
  expect_refused();
  EXPECT_TRUE(Hold(concert.schedules[1].id, {1}).ok()) << "another date";
  EXPECT_TRUE(Hold(schedule, {2}, "another").ok());
  Pass(Seconds{30});
  EXPECT_TRUE(Hold(schedule, {1}).ok());
}

TEST_P(BookingContract, UnpaidHoldsFarApartBeginNoCooldown) {
  ConcertDetails details;
  details.hold = Seconds{301};
  details.cooldown = Seconds{30};
  const auto schedule = OpenConcert({5}, details).schedules[0].id;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(Hold(schedule, {1}).ok()) << i;
    Pass(Seconds{301});
    store().ExpireHolds(now());
  }
}

TEST_P(BookingContract, UsersThatDifferByATrailingSpaceAreTwoCustomers) {
  ConcertDetails details;
  details.max_seats_per_user = 1;
  const auto schedule = OpenConcert({5}, details).schedules[0].id;
  const auto alice = *Hold(schedule, {1}, "alice", "key");
  const auto padded = Hold(schedule, {2}, "alice ", "key");
  ASSERT_TRUE(padded.ok()) << Code(padded.error().why);
  EXPECT_NE(padded->id, alice.id);
  EXPECT_EQ(padded->user, "alice ");
  EXPECT_FALSE(RunTask(store().FindReservation(ReservationRef{alice.id, UserId("alice ")}, now())).ok());
  Restart();
  EXPECT_EQ(Hold(schedule, {1}, "alice", "key")->id, alice.id);
  EXPECT_EQ(Hold(schedule, {2}, "alice ", "key")->id, padded->id);
}

TEST_P(BookingContract, TheBestAvailableSeatsAreHeldInOneStep) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  ASSERT_TRUE(Hold(schedule, {3}).ok());
  HoldRequest request;
  request.schedule = schedule;
  request.user = "fan";
  request.best = BestAvailable{2};
  EXPECT_THAT(RunTask(store().Hold(request, now()))->seats, ElementsAre(1, 2));
  request.best = BestAvailable{3};
  EXPECT_EQ(RunTask(store().Hold(request, now())).error(), Refusal::kSoldOut);
}

TEST_P(BookingContract, ReservationOfAnotherCustomerIsNotFound) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  const auto held = *Hold(schedule, {1}, "owner");
  const ReservationRef thief{held.id, "thief"};
  EXPECT_EQ(RunTask(store().FindReservation(thief, now())).error(), Refusal::kReservationNotFound);
  EXPECT_EQ(RunTask(store().Cancel(thief, now())).error(), Refusal::kReservationNotFound);
  EXPECT_EQ(RunTask(store().ExtendHold(thief, now())).error(), Refusal::kReservationNotFound);
  EXPECT_EQ(RunTask(store().PayAtOnce(thief, PaymentRequest{100}, now())).error(),
            Refusal::kReservationNotFound);
  EXPECT_TRUE(RunTask(store().FindReservation(ReservationRef{held.id}, now())).ok());
}

TEST_P(BookingContract, EverythingIsThereAfterARestart) {
  const auto concert = OpenConcert({4, 2});
  const auto schedule = concert.schedules[0].id;
  const auto paid = *Hold(schedule, {1}, "payer");
  ASSERT_TRUE(Pay(paid).ok());
  const auto held = *Hold(schedule, {2, 3}, "holder");
  const auto cancelled = *Hold(schedule, {4}, "leaver");
  ASSERT_TRUE(Cancel(cancelled).ok());
  const auto version = *store().SeatsVersionAtOnce(schedule);
  Pass(Millis{1});
  Restart();
  EXPECT_GT(*store().SeatsVersionAtOnce(schedule), version);
  EXPECT_EQ(Read(paid).status, ReservationStatus::kConfirmed);
  EXPECT_EQ(Read(held).status, ReservationStatus::kHeld);
  EXPECT_EQ(Read(cancelled).status, ReservationStatus::kCancelled);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAssigned);
  EXPECT_EQ(StateOf(schedule, 2), SeatState::kHeld);
  EXPECT_EQ(StateOf(schedule, 4), SeatState::kAvailable);
  EXPECT_EQ(store().StockAtOnce(concert.id, now())->available, 3);
  EXPECT_TRUE(Pay(held).ok());
  EXPECT_GT(CreateConcert({1}).id, concert.id);
  ExpectCountsAddUp(schedule);
}

TEST_P(BookingContract, HoldThatExpiredDuringDowntimeIsReleased) {
  const auto schedule = OpenConcert({2}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  Pass(Seconds{3600});
  Restart();
  store().ExpireHolds(now());
  EXPECT_EQ(Read(held).status, ReservationStatus::kExpired);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
}

TEST_P(BookingContract, SeatChangesAreReadSinceAVersion) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  const auto before = *store().SeatsVersionAtOnce(schedule);
  ASSERT_TRUE(Hold(schedule, {4, 2}).ok());
  const auto changes = *store().ReadSeatChanges(schedule, before);
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->changes.size(), 2U);
  EXPECT_EQ(changes->changes[0].number, 2);
  EXPECT_EQ(changes->changes[0].state, SeatState::kHeld);
  EXPECT_TRUE((*store().ReadSeatChanges(schedule, changes->version))->changes.empty());
  EXPECT_FALSE(store().ReadSeatChanges(schedule, 5)->has_value()) << "an expired version";
}

}  // namespace
}  // namespace maejin
