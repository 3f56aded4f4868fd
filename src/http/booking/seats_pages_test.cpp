#include "http/booking/seats_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/run_task.h"
#include "tests/support/embedded_booking.h"

namespace maejin::http {
namespace {

using testing::HasSubstr;

constexpr Time kNow = TimeFromMillis(1'767'225'600'000);

class SeatsPagesTest : public testing::Test {
 protected:
  SeatsPagesTest() {
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 2, 500, 100});
    const auto made = RunTask(bookings_.store().CreateConcert({"Title", "Artist", "Venue"}, {plan}, kNow));
    schedule_ = made->schedules[0].id;
  }
  void Block(SeatNumber seat) {
    ASSERT_TRUE(RunTask(bookings_.operations()->BlockSeats(schedule_, {seat}, {"tester", kNow})).ok());
  }
  std::shared_ptr<const SeatsPage> Page() { return *pages_.Get(schedule_, SeatsForm::kFull); }

  EmbeddedBookingUnderTest bookings_;
  ReadSeats read_{bookings_.store()};
  SeatsPages pages_{read_};
  ScheduleId schedule_ = 0;
};

TEST_F(SeatsPagesTest, VersionIsRenderedOnce) {
  const auto first = Page();
  EXPECT_EQ(Page(), first);
  Block(7);
  EXPECT_NE(Page(), first);
}

TEST_F(SeatsPagesTest, PageInUseStaysUnchanged) {
  const auto reading = Page();
  const auto text = reading->body;
  Block(7);
  EXPECT_THAT(Page()->body, HasSubstr("BLOCKED"));
  EXPECT_EQ(reading->body, text);
}

TEST_F(SeatsPagesTest, BufferOfAnUnusedPageIsReused) {
  const auto* paper = Page()->body.data();
  Block(7);
  EXPECT_EQ(Page()->body.data(), paper);
}

TEST_F(SeatsPagesTest, UnknownDateIsRefused) {
  EXPECT_EQ(pages_.Get(404, SeatsForm::kFull).error(), Refusal::kScheduleNotFound);
}

}  // namespace
}  // namespace maejin::http
