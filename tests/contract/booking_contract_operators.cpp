// The booking contract: operations for operators.
#include <gmock/gmock.h>

#include <map>

#include "domain/booking/reservation_code.h"
#include "tests/contract/booking_contract.h"

namespace maejin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(BookingOperationsContract, BlockedSeatsAreNotForSaleUntilReleased) {
  const auto concert = OpenConcert({3});
  const auto schedule = concert.schedules[0].id;
  ASSERT_TRUE(Hold(schedule, {1}).ok());
  EXPECT_EQ(RunTask(operations().BlockSeats(schedule, {1}, who())).error(), Refusal::kSeatHeld);
  EXPECT_EQ(RunTask(operations().BlockSeats(schedule, {9}, who())).error(), Refusal::kSeatNotFound);
  EXPECT_EQ(RunTask(operations().BlockSeats(schedule, {2}, who()))->counts.ForSale(), 2);
  EXPECT_EQ(Hold(schedule, {2}).error(), Refusal::kSeatTaken);
  Restart();
  EXPECT_EQ(StateOf(schedule, 2), SeatState::kBlocked);
  EXPECT_EQ(RunTask(operations().UnblockSeats(schedule, {2, 3}, who()))->counts.ForSale(), 3);
  EXPECT_TRUE(Hold(schedule, {2}).ok());
  ExpectCountsAddUp(schedule);
}

TEST_P(BookingOperationsContract, BlockingTheLastFreeSeatSellsNothingOut) {
  const auto schedule = OpenConcert({2}).schedules[0].id;
  ASSERT_TRUE(Pay(*Hold(schedule, {1})).ok());
  ASSERT_TRUE(RunTask(operations().BlockSeats(schedule, {2}, who())).ok());
  EXPECT_THAT(Facts<ScheduleSoldOut>(), IsEmpty());
  EXPECT_THAT(Facts<ConcertSoldOut>(), IsEmpty());
}

TEST_P(BookingOperationsContract, CancelledDateRefundsEveryReservationAcrossARestart) {
  const auto concert = OpenConcert({3, 2});
  const auto cancelled = concert.schedules[0].id;
  const auto paid = *Hold(cancelled, {1}, "payer");
  ASSERT_TRUE(Pay(paid).ok());
  const auto held = *Hold(cancelled, {2}, "holder");
  const auto other = *Hold(concert.schedules[1].id, {1}, "other");
  const auto after = RunTask(operations().CancelSchedule(cancelled, who()));
  EXPECT_EQ(after->counts.ForSale(), 2) << "a cancelled date counts in no total";
  Restart();
  EXPECT_EQ(Hold(cancelled, {3}).error(), Refusal::kConcertCancelled);
  EXPECT_EQ(Pay(held).error(), Refusal::kConcertCancelled);
  store().ExpireHolds(now());
  EXPECT_EQ(Read(paid).status, ReservationStatus::kRefunded);
  EXPECT_EQ(Read(held).status, ReservationStatus::kCancelled);
  Restart();
  EXPECT_EQ(Read(paid).end_reason, EndReason::kCancelled);
  EXPECT_EQ(Read(held).end_reason, EndReason::kCancelled);
  EXPECT_EQ(Pay(held).error(), Refusal::kConcertCancelled) << "not hold-expired";
  EXPECT_EQ(Read(other).status, ReservationStatus::kHeld);
  EXPECT_EQ(store().FindConcert(concert.id, now())->schedules[0].counts.available, 3);
}

TEST_P(BookingOperationsContract, ACancelledConcertSellsNoMore) {
  const auto concert = OpenConcert({2});
  const auto paid = *Hold(concert.schedules[0].id, {1});
  ASSERT_TRUE(Pay(paid).ok());
  EXPECT_EQ(RunTask(operations().CancelConcert(concert.id, who()))->status, ConcertStatus::kCancelled);
  store().ExpireHolds(now());
  EXPECT_EQ(Read(paid).status, ReservationStatus::kRefunded);
  EXPECT_EQ(Hold(concert.schedules[0].id, {2}).error(), Refusal::kConcertCancelled);
  EXPECT_EQ(RunTask(operations().CancelConcert(999, who())).error(), Refusal::kConcertNotFound);
}

TEST_P(BookingOperationsContract, ClosedConcertStillAcceptsPaymentsOfItsHolds) {
  const auto concert = OpenConcert({2});
  const auto held = *Hold(concert.schedules[0].id, {1});
  EXPECT_EQ(RunTask(operations().CloseConcert(concert.id, who()))->status, ConcertStatus::kClosed);
  EXPECT_EQ(Hold(concert.schedules[0].id, {2}).error(), Refusal::kConcertClosed);
  EXPECT_TRUE(Pay(held).ok());
}

TEST_P(BookingOperationsContract, ReopenedConcertSellsAgainAcrossARestart) {
  const auto concert = OpenConcert({2, 2});
  const auto schedule = concert.schedules[0].id;
  EXPECT_EQ(RunTask(operations().ReopenConcert(concert.id, who())).error(), Refusal::kNotClosed);
  ASSERT_TRUE(RunTask(operations().CancelSchedule(concert.schedules[1].id, who())).ok());
  ASSERT_TRUE(RunTask(operations().CloseConcert(concert.id, who())).ok());
  const auto reopened = RunTask(operations().ReopenConcert(concert.id, who()));
  EXPECT_EQ(reopened->status, ConcertStatus::kOpen);
  EXPECT_GT(reopened->life, concert.life);
  Restart();
  EXPECT_TRUE(Hold(schedule, {1}).ok());
  EXPECT_EQ(Hold(concert.schedules[1].id, {1}).error(), Refusal::kConcertCancelled);
  EXPECT_EQ(store().FindConcert(concert.id, now())->life, reopened->life);
  ASSERT_TRUE(RunTask(operations().CancelConcert(concert.id, who())).ok());
  EXPECT_EQ(RunTask(operations().ReopenConcert(concert.id, who())).error(), Refusal::kConcertCancelled);
  EXPECT_EQ(RunTask(operations().ReopenConcert(999, who())).error(), Refusal::kConcertNotFound);
}

TEST_P(BookingOperationsContract, ChangedConcertKeepsItsChangesAcrossARestart) {
  ConcertDetails details;
  details.booking_open_at = now() + Seconds{60};
  const auto concert = CreateConcert({2}, details);
  ConcertPatch patch;
  patch.title = "Corrected";
  patch.booking_open_at = std::optional(now() + Seconds{30});
  patch.hold = Seconds{7};
  patch.max_seats_per_user = 1;
  patch.listed = false;
  patch.ranked = false;
  const auto changed = RunTask(operations().ChangeConcert(concert.id, patch, who()));
  EXPECT_GT(changed->life, concert.life);
  Restart();
  const auto after = store().FindConcert(concert.id, now())->details;
  EXPECT_EQ(after.title, "Corrected");
  EXPECT_EQ(after.artist, concert.details.artist);
  EXPECT_EQ(after.booking_open_at, now() + Seconds{30});
  EXPECT_EQ(after.hold, Seconds{7});
  EXPECT_EQ(after.max_seats_per_user, 1);
  EXPECT_FALSE(after.listed);
  EXPECT_FALSE(after.ranked);
  Pass(Seconds{30});
  EXPECT_EQ(RunTask(operations().ChangeConcert(concert.id, patch, who())).error(), Refusal::kAlreadyOpen);
  patch.booking_open_at.reset();
  EXPECT_TRUE(RunTask(operations().ChangeConcert(concert.id, patch, who())).ok());
  EXPECT_EQ(RunTask(operations().ChangeConcert(999, patch, who())).error(), Refusal::kConcertNotFound);
}

TEST_P(BookingOperationsContract, OrganizerAndColorOfAConcertAreKeptAndRemoved) {
  const auto concert = OpenConcert({2});
  EXPECT_FALSE(concert.details.organizer || concert.details.color);
  ConcertPatch patch;
  patch.organizer = "한강 라이브";
  patch.color = ParseColor("#ffcc00");
  ASSERT_TRUE(RunTask(operations().ChangeConcert(concert.id, patch, who())).ok());
  ASSERT_TRUE(RunTask(operations().ChangeConcert(concert.id, {.title = "Other"}, who())).ok());
  Restart();
  const auto after = store().FindConcert(concert.id, now())->details;
  EXPECT_EQ(after.organizer, "한강 라이브") << "another change leaves it";
  EXPECT_EQ(after.color, ParseColor("#ffcc00"));
  patch.organizer = std::optional<std::string>();
  patch.color = std::optional<Color>();
  ASSERT_TRUE(RunTask(operations().ChangeConcert(concert.id, patch, who())).ok());
  Restart();
  const auto removed = store().FindConcert(concert.id, now())->details;
  EXPECT_FALSE(removed.organizer || removed.color);
}

TEST_P(BookingOperationsContract, PreQueueThatAConcertNamesIsKeptWithTheLifeThatNamedIt) {
  ConcertDetails details;
  details.pre_queue.order = {PreQueueOrder::kArrival, kFirstLife};
  const auto concert = CreateConcert({2}, details);
  EXPECT_EQ(concert.life, kFirstLife);
  const auto read = [&] {
    Restart();
    return store().FindConcert(concert.id, now())->details.pre_queue;
  };
  EXPECT_EQ(read(), details.pre_queue) << "of a concert that was never changed";
  ConcertPatch patch;
  patch.pre_queue_at = std::optional(now() + Seconds{60});
  const auto timed = *RunTask(operations().ChangeConcert(concert.id, patch, who()));
  ASSERT_TRUE(RunTask(operations().ChangeConcert(concert.id, {.title = "Other"}, who())).ok());
  auto named = details.pre_queue;
  named.at = {*patch.pre_queue_at, timed.life};
  EXPECT_EQ(read(), named) << "each field has its own life, and another change leaves both";
  patch.order = PreQueueOrder::kDraw;
  patch.pre_queue_at = std::optional<Time>();
  const auto renamed = *RunTask(operations().ChangeConcert(concert.id, patch, who()));
  named = {{PreQueueOrder::kDraw, renamed.life}, {std::nullopt, renamed.life}};
  EXPECT_EQ(read(), named) << "a removed time is named, too";
  EXPECT_EQ(Audit().front().detail, R"({"order":"draw","preQueueAt":null})");
}

TEST_P(BookingOperationsContract, DateSellsUntilItsSalesEnd) {
  const auto concert = OpenConcert({2, 2});
  const auto schedule = concert.schedules[0].id;
  const auto held = *Hold(schedule, {1});
  SchedulePatch patch;
  patch.sales_end_at = std::optional(now() + Millis{500});
  ASSERT_TRUE(RunTask(operations().ChangeSchedule(schedule, patch, who())).ok());
  Restart();
  Pass(Millis{499});
  EXPECT_TRUE(Hold(schedule, {2}).ok());
  Pass(Millis{1});
  EXPECT_EQ(Hold(schedule, {2}).error(), Refusal::kSalesEnded);
  EXPECT_TRUE(Pay(held).ok()) << "holds made before may be paid";
  store().ExpireHolds(now());
  EXPECT_EQ(store().StockAtOnce(concert.id, now())->total, 2) << "only dates that still sell";
  // By default the sale ends at the start of the show, else at the end of its day.
  patch.sales_end_at = std::optional<Time>();
  patch.starts_at = std::optional(now() + Millis{700});
  const auto view = RunTask(operations().ChangeSchedule(schedule, patch, who()));
  EXPECT_EQ(view->schedules[0].sales_end_at, now() + Millis{700});
  patch.starts_at = std::optional<Time>();
  EXPECT_EQ(RunTask(operations().ChangeSchedule(schedule, patch, who()))->schedules[0].sales_end_at,
            std::chrono::sys_days(view->schedules[0].date) + std::chrono::days(1));
  EXPECT_EQ(RunTask(operations().ChangeSchedule(999, patch, who())).error(), Refusal::kScheduleNotFound);
}

TEST_P(BookingOperationsContract, ConcertChangesAreListedInPagesWithTheirLife) {
  const auto first = CreateConcert({1});
  const auto second = CreateConcert({1});
  const auto page = store().ListChanges(0, 1);
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0].concert, first.id);
  EXPECT_EQ(page[0].room, RoomKind::kNone);
  EXPECT_EQ(page[0].life, first.life);
  const auto closed = *RunTask(operations().CloseConcert(second.id, who()));
  EXPECT_GT(closed.life, second.life);
  const auto rest = store().ListChanges(first.id, 10);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].life, closed.life);
  Restart();
  EXPECT_EQ(store().ListChanges(first.id, 10)[0].life, closed.life);
}

TEST_P(BookingOperationsContract, SeatsForSaleOfADayFollowEveryActionOfOperators) {
  const auto concert = OpenConcert({3, 2});
  const auto other = OpenConcert({4});
  const auto day = concert.schedules[0].date;
  const auto next = concert.schedules[1].date;
  EXPECT_EQ(store().SeatsForSaleOn(day), 7);
  EXPECT_EQ(store().SeatsForSaleOn(next), 2);
  ASSERT_TRUE(RunTask(operations().BlockSeats(concert.schedules[0].id, {1}, who())).ok());
  EXPECT_EQ(store().SeatsForSaleOn(day), 6);
  ASSERT_TRUE(RunTask(operations().UnblockSeats(concert.schedules[0].id, {1}, who())).ok());
  ASSERT_TRUE(RunTask(operations().PostponeSchedule(concert.schedules[1].id, {.date = day}, who())).ok());
  EXPECT_EQ(store().SeatsForSaleOn(day), 9);
  EXPECT_EQ(store().SeatsForSaleOn(next), 0);
  ASSERT_TRUE(RunTask(operations().ChangeConcert(other.id, {.ranked = false}, who())).ok());
  EXPECT_EQ(store().SeatsForSaleOn(day), 5) << "an unranked concert is on no board";
  ASSERT_TRUE(RunTask(operations().CancelSchedule(concert.schedules[1].id, who())).ok());
  EXPECT_EQ(store().SeatsForSaleOn(day), 3);
  Restart();
  EXPECT_EQ(store().SeatsForSaleOn(day), 3);
}

TEST_P(BookingOperationsContract, ConcertWhoseLastFreeSeatWasBlockedReadsSoldOut) {
  const auto concert = OpenConcert({2});
  const auto schedule = concert.schedules[0].id;
  ASSERT_TRUE(Pay(*Hold(schedule, {1})).ok());
  const auto blocked = RunTask(operations().BlockSeats(schedule, {2}, who()));
  EXPECT_EQ(blocked->status, ConcertStatus::kSoldOut);
  EXPECT_FALSE(blocked->sold_out_at);
  EXPECT_EQ(store().StockAtOnce(concert.id, now())->end, SaleEnd::kSoldOut);
  EXPECT_THAT(Facts<ConcertSoldOut>(), IsEmpty());
  ASSERT_TRUE(RunTask(operations().UnblockSeats(schedule, {2}, who())).ok());
  EXPECT_EQ(store().FindConcert(concert.id, now())->status, ConcertStatus::kOpen);
  ASSERT_TRUE(Pay(*Hold(schedule, {2})).ok());
  EXPECT_EQ(Facts<ConcertSoldOut>().size(), 1U) << "the payment of the last seat is the sell-out";
}

TEST_P(BookingOperationsContract, ConcertWhoseLastUnsoldDateWasCancelledReadsSoldOut) {
  const auto concert = OpenConcert({1, 2});
  ASSERT_TRUE(Pay(*Hold(concert.schedules[0].id, {1})).ok());
  const auto cancelled = RunTask(operations().CancelSchedule(concert.schedules[1].id, who()));
  EXPECT_EQ(cancelled->status, ConcertStatus::kSoldOut);
  EXPECT_FALSE(cancelled->sold_out_at);
  EXPECT_EQ(RunTask(operations().CancelSchedule(concert.schedules[0].id, who()))->status,
            ConcertStatus::kCancelled);
}

TEST_P(BookingOperationsContract, EndedReservationsNameTheirReason) {
  const auto schedule = OpenConcert({3}).schedules[0].id;
  const auto expired = *Hold(schedule, {1});
  const auto given_back = *Hold(schedule, {2});
  ASSERT_TRUE(Cancel(given_back).ok());
  Pass(Seconds{400});
  store().ExpireHolds(now());
  Restart();
  EXPECT_EQ(Read(expired).end_reason, EndReason::kExpired);
  EXPECT_EQ(Read(given_back).end_reason, EndReason::kCustomer);
}

TEST_P(BookingOperationsContract, APostponedDateKeepsItsReservations) {
  const auto schedule = OpenConcert({2}).schedules[0].id;
  const auto held = *Hold(schedule, {1});
  const Date later{std::chrono::year{2027}, std::chrono::month{1}, std::chrono::day{2}};
  EXPECT_EQ(RunTask(operations().PostponeSchedule(schedule, {later}, who()))->schedules[0].date, later);
  Restart();
  EXPECT_EQ(store().FindConcert(1, now())->schedules[0].date, later);
  EXPECT_TRUE(store().FindConcert(1, now())->schedules[0].previous_date);
  EXPECT_EQ(store().FindConcert(1, now())->schedules[0].postponed_at, now());
  EXPECT_TRUE(Pay(held).ok());
}

TEST_P(BookingOperationsContract, PostponedDateMovesItsProgressToTheNewDay) {
  const auto schedule = OpenConcert({9}).schedules[0].id;
  const Date first{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{1}};
  const Date later{std::chrono::year{2027}, std::chrono::month{1}, std::chrono::day{2}};
  const auto reserved = [&] {
    std::map<Date, std::int64_t> seats;
    for (const auto& change : Facts<ProgressChanged>()) seats[change.concert_date] += change.seats;
    return seats;
  };
  const auto held = *Hold(schedule, {1, 2});
  ASSERT_TRUE(Cancel(*Hold(schedule, {3})).ok()) << "an ended reservation moves no progress";
  Pass(Seconds{60});
  ASSERT_TRUE(Pay(*Hold(schedule, {4})).ok());
  ASSERT_TRUE(RunTask(operations().PostponeSchedule(schedule, {later}, who())).ok());
  EXPECT_EQ(reserved()[first], 0);
  EXPECT_EQ(reserved()[later], 3);
  const auto moved = Facts<ProgressChanged>().size();
  ASSERT_TRUE(RunTask(operations().PostponeSchedule(schedule, {later, now()}, who())).ok());
  EXPECT_EQ(Facts<ProgressChanged>().size(), moved) << "a new time on the same day moves no progress";
  Restart();
  ASSERT_TRUE(Cancel(held).ok());
  EXPECT_EQ(reserved()[first], 0);
  EXPECT_EQ(reserved()[later], 1);
  ASSERT_TRUE(RunTask(operations().CancelSchedule(schedule, who())).ok());
  store().ExpireHolds(now());
  EXPECT_EQ(reserved()[later], 0);
}

TEST_P(BookingOperationsContract, ReservationsAreFoundByCustomerAndByAge) {
  const auto schedule = OpenConcert({4}).schedules[0].id;
  const auto first = *Hold(schedule, {1}, "anna");
  const auto second = *Hold(schedule, {2}, "bert");
  ASSERT_TRUE(Pay(*Hold(schedule, {3}, "anna")).ok());
  ReservationFilter held;
  held.status = ReservationStatus::kHeld;
  const auto list = [&](const ReservationFilter& filter) {
    return *RunTask(operations().ListReservations(filter));
  };
  const auto holds = list(held);
  ASSERT_EQ(holds.size(), 2U);
  EXPECT_EQ(holds[0].id, first.id) << "oldest first";
  ReservationFilter annas;
  annas.user = "anna";
  annas.limit = 1;
  ASSERT_EQ(list(annas).size(), 1U);
  annas.after = first.number;
  EXPECT_EQ(list(annas)[0].status, ReservationStatus::kConfirmed);
  EXPECT_EQ(list({.after = second.number}).size(), 1U);
}

TEST_P(BookingOperationsContract, OwnReservationsOfAllConcertsAreListedNewestFirst) {
  const auto first = OpenConcert({4}).schedules[0].id;
  const auto second = OpenConcert({4}).schedules[0].id;
  std::vector<std::int64_t> numbers;
  for (const auto schedule : {first, second, first}) {
    const auto seat = static_cast<SeatNumber>(numbers.size() + 1);
    numbers.push_back(Hold(schedule, {seat}, "anna")->number);
    ASSERT_TRUE(Hold(schedule, {4}, "bert").ok() || numbers.size() == 3);
  }
  ReservationFilter own;
  own.user = "anna";
  own.newest_first = true;
  own.limit = 2;
  const auto list = [&] {
    std::vector<std::int64_t> found;
    const auto page = RunTask(operations().ListReservations(own));
    for (const auto& each : *page) found.push_back(each.number);
    return found;
  };
  EXPECT_THAT(list(), ElementsAre(numbers[2], numbers[1]));
  own.after = numbers[1];
  EXPECT_THAT(list(), ElementsAre(numbers[0]));
  Restart();
  EXPECT_THAT(list(), ElementsAre(numbers[0]));
  own.user = "anna ";
  EXPECT_THAT(list(), IsEmpty());
}

TEST_P(BookingOperationsContract, ReservationIsFoundByItsNumber) {
  const auto schedule = OpenConcert({4}).schedules[0].id;
  const auto wanted = *Hold(schedule, {1}, "anna");
  ASSERT_TRUE(Hold(schedule, {2}, "bert").ok());
  ReservationFilter filter;
  filter.number = wanted.number;
  const auto found = *RunTask(operations().ListReservations(filter));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, wanted.id);
  filter.number = wanted.number + 1'000'000;
  EXPECT_THAT(*RunTask(operations().ListReservations(filter)), IsEmpty());
}

TEST_P(BookingOperationsContract, OperatorCancelsAndRefundsSingleReservationsInTheAudit) {
  const auto schedule = OpenConcert({4}).schedules[0].id;
  const auto paid = *Hold(schedule, {1}, "anna");
  ASSERT_TRUE(Pay(paid).ok());
  const auto held = *Hold(schedule, {2}, "bert");
  const auto cancel = [&](const Reservation& reservation, std::string reason) {
    return RunTask(operations().CancelReservation(reservation.id, std::move(reason), who()));
  };
  const auto refunded = cancel(paid, "double \"booking\"");
  ASSERT_TRUE(refunded.ok());
  EXPECT_EQ(refunded->reservation.status, ReservationStatus::kRefunded);
  EXPECT_EQ(refunded->payment->status, PaymentStatus::kRefunded);
  EXPECT_EQ(cancel(held, "")->reservation.status, ReservationStatus::kCancelled);
  EXPECT_EQ(cancel(paid, "again")->reservation.status, ReservationStatus::kRefunded);
  const auto late = *Hold(schedule, {3}, "carl");
  Pass(Seconds{301});
  store().ExpireHolds(now());
  EXPECT_EQ(cancel(late, "").error(), Refusal::kHoldExpired);
  Reservation unknown;
  unknown.id.bytes[0] = 1;
  EXPECT_EQ(cancel(unknown, "").error(), Refusal::kReservationNotFound);
  EXPECT_EQ(StateOf(schedule, 1), SeatState::kAvailable);
  EXPECT_EQ(StateOf(schedule, 2), SeatState::kAvailable);
  ExpectCountsAddUp(schedule);
  Restart();
  EXPECT_EQ(Read(paid).status, ReservationStatus::kRefunded);
  std::vector<AuditRow> rows;
  for (const auto& row : Audit()) {
    if (row.action == "reservation.cancel") rows.push_back(row);
  }
  ASSERT_EQ(rows.size(), 2U) << "a repetition and a refusal leave no row";
  EXPECT_EQ(rows[1].actor, "tester");
  EXPECT_EQ(rows[1].subject, "reservation " + paid.id.ToString());
  EXPECT_EQ(rows[1].detail,
            R"({"code":")" + CodeOf(paid.number) + R"(","status":"REFUNDED","reason":"double \"booking\""})");
  EXPECT_EQ(rows[0].detail, R"({"code":")" + CodeOf(held.number) + R"(","status":"CANCELLED"})");
}

TEST_P(BookingOperationsContract, EveryActionIsAuditedOnceAndNoRefusedOne) {
  const auto concert = CreateConcert({2});
  const auto subject = "concert " + std::to_string(concert.id);
  ASSERT_TRUE(RunTask(store().AddSchedules(concert.id, Dates({1, 1}), now())).ok());
  Pass(Millis(5));
  ASSERT_TRUE(RunTask(store().OpenConcert(concert.id, now())).ok());
  EXPECT_EQ(RunTask(store().OpenConcert(concert.id, now())).error(), Refusal::kAlreadyOpen);
  EXPECT_EQ(RunTask(store().OpenConcert(999, now())).error(), Refusal::kConcertNotFound);
  EXPECT_FALSE(RunTask(store().AddSchedules(999, Dates({1}), now())).ok());
  ASSERT_TRUE(RunTask(operations().CloseConcert(concert.id, who())).ok());
  EXPECT_FALSE(RunTask(store().AddSchedules(concert.id, Dates({1}), now())).ok()) << "the concert is closed";
  Restart();
  std::vector<std::string> told;
  for (const auto& row : Audit()) {
    told.push_back(row.actor + " " + row.action + " " + row.detail);
    EXPECT_EQ(row.subject, subject);
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{"tester concert.close ", "admin concert.open ",
                                      R"(admin concert.add-dates {"dates":["2026-12-01","2026-12-02"]})",
                                      R"(admin concert.create {"title":"Title","dates":["2026-12-01"]})"}));
  EXPECT_EQ(Audit()[1].at, now());
}

}  // namespace
}  // namespace maejin
