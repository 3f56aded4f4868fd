// Booking and rankings on one database: after any action of an operator on a date, the progress boards agree
// with the reservations (I12).
#include <gtest/gtest.h>

#include "adapters/embedded/ranking_store.h"
#include "base/run_task.h"
#include "tests/support/embedded_booking.h"

namespace maejin::embedded {
namespace {

const Time kNow = *ParseTime("2026-01-02T14:50:00Z");  // ten minutes before midnight in Seoul
const Date kFirst = *ParseDate("2026-03-01");
const Date kLater = *ParseDate("2026-04-05");

class BookingProgressTest : public testing::Test {
 protected:
  BookingProgressTest() {
    ConcertDetails details;
    details.title = details.artist = details.venue = "A";
    details.booking_open_at = kNow;
    details.hold = Seconds{3600};
    details.room = RoomKind::kNone;
    SchedulePlan plan;
    plan.date = kFirst;
    plan.sections.push_back({"A", 1, 20, 100});
    const auto concert = *RunTask(booking_.store().CreateConcert(details, {plan, plan}, kNow));
    postponed_ = concert.schedules[0].id;
    other_ = concert.schedules[1].id;
    boards_ = Boards();
  }

  Reservation Hold(ScheduleId schedule, std::vector<SeatNumber> seats, Time at) {
    return *RunTask(
        booking_.store().Hold({.schedule = schedule, .seats = std::move(seats), .user = "fan"}, at));
  }
  void Cancel(const Reservation& held) {
    ASSERT_TRUE(RunTask(booking_.store().Cancel({held.id, held.user}, kNow + Seconds{1900})).ok());
  }
  void Postpone(Date to) {
    const auto done =
        RunTask(booking_.operations()->PostponeSchedule(postponed_, {to}, {"tester", kNow + Seconds{1800}}));
    ASSERT_TRUE(done.ok());
  }
  EmbeddedRankingStore::Options Options() const {
    return {booking_.database(), *TimeZone::Find("Asia/Seoul"), kNow + Seconds{1800}};
  }
  std::unique_ptr<EmbeddedRankingStore> Boards() {
    return std::make_unique<EmbeddedRankingStore>(booking_.journal(), Options());
  }

  // All progress boards as text.
  static std::string Print(EmbeddedRankingStore& boards) {
    std::string text;
    const auto print = [&](BoardId id, WindowKind kind, Date day) {
      const auto page = RunTask(boards.Progress({{id, WindowOf(kind, day)}, 1, 100}));
      for (const auto& row : page->entries) {
        text += std::to_string(row.rank) + " " + FormatDate(row.concert_date) + " " +
                std::to_string(row.schedule) + " " + std::to_string(row.reserved) + "\n";
      }
      text += "--\n";
    };
    print(BoardId::kProgressAll, WindowKind::kAll, {});
    print(BoardId::kProgressSchedules, WindowKind::kAll, {});
    for (const auto* day : {"2026-01-02", "2026-01-03"}) {
      print(BoardId::kProgressDaily, WindowKind::kDaily, *ParseDate(day));
      print(BoardId::kProgressWeekly, WindowKind::kWeekly, *ParseDate(day));
    }
    return text;
  }
  // Compares the boards that applied every event with boards built from the rows.
  void ExpectBoardsAreTheirRows() {
    boards_->Applied(booking_.Events());
    EXPECT_EQ(Print(*boards_), Print(*Boards()));
    const auto before = Print(*boards_);
    ASSERT_TRUE(RunTask(boards_->Rebuild()).ok());
    EXPECT_EQ(Print(*boards_), before);
    EXPECT_EQ(boards_->drift(), 0U);
  }
  std::int64_t Reserved(Date date) {
    const auto one = RunTask(boards_->ProgressOf({BoardId::kProgressAll, {}}, date));
    return one ? one->reserved : 0;
  }

  EmbeddedBookingUnderTest booking_;
  ScheduleId postponed_ = 0;
  ScheduleId other_ = 0;
  std::unique_ptr<EmbeddedRankingStore> boards_;
};

TEST_F(BookingProgressTest, APostponedDateTakesItsSeatsAlongDayByDay) {
  const auto before_midnight = Hold(postponed_, {1, 2}, kNow);
  Hold(postponed_, {3}, kNow + Seconds{1200});  // the next day in Seoul
  Hold(other_, {1}, kNow);
  ExpectBoardsAreTheirRows();
  EXPECT_EQ(Reserved(kFirst), 4);
  Postpone(kLater);
  ExpectBoardsAreTheirRows();
  EXPECT_EQ(Reserved(kFirst), 1);
  EXPECT_EQ(Reserved(kLater), 3);
  Cancel(before_midnight);
  ExpectBoardsAreTheirRows();
  EXPECT_EQ(Reserved(kLater), 1);
}

TEST_F(BookingProgressTest, ACancelledDateLeavesTheDateItWasPostponedTo) {
  Hold(postponed_, {1, 2, 3}, kNow);
  Hold(other_, {1}, kNow);
  Postpone(kLater);
  const Operator actor{"tester", kNow + Seconds{1800}};
  ASSERT_TRUE(RunTask(booking_.operations()->CancelSchedule(postponed_, actor)).ok());
  booking_.store().ExpireHolds(actor.at);
  ExpectBoardsAreTheirRows();
  EXPECT_EQ(Reserved(kLater), 0);
  EXPECT_EQ(Reserved(kFirst), 1);
}

TEST_F(BookingProgressTest, AClosedConcertKeepsItsProgress) {
  const auto held = Hold(postponed_, {1}, kNow);
  ASSERT_TRUE(RunTask(booking_.operations()->CloseConcert(held.concert, {"tester", kNow})).ok());
  ExpectBoardsAreTheirRows();
  EXPECT_EQ(Reserved(kFirst), 1);
}

}  // namespace
}  // namespace maejin::embedded
