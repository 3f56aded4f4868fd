#include "http/booking/seats_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/clock.h"
#include "base/run_task.h"
#include "tests/support/embedded_booking.h"

namespace maejin::http {
namespace {

using testing::HasSubstr;

constexpr Time kNow = TimeFromMillis(1'767'225'600'000);

class SeatsPagesTest : public testing::Test {
 protected:
  SeatsPagesTest() { schedule_ = MakeSchedule(); }
  ScheduleId MakeSchedule() {
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 2, 500, 100});
    const auto made = RunTask(bookings_.store().CreateConcert({"Title", "Artist", "Venue"}, {plan}, kNow));
    return made->schedules[0].id;
  }
  void Block(SeatNumber seat) {
    ASSERT_TRUE(RunTask(bookings_.operations()->BlockSeats(schedule_, {seat}, {"tester", kNow})).ok());
  }
  std::shared_ptr<const SeatsPage> Page() { return *pages_.Get(schedule_, SeatsForm::kFull); }

  EmbeddedBookingUnderTest bookings_;
  VirtualClock clock_{kNow};
  ReadSeats read_{bookings_.store(), clock_};
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

TEST_F(SeatsPagesTest, ReadersThatHoldOldVersionsMakeNewReadersShareTheNewest) {
  std::set<std::shared_ptr<const SeatsPage>> living;
  const auto size = Page()->body.capacity();
  SeatsPages pages(read_, {.bytes = 16 * size, .longest_pause = std::chrono::hours{1}});
  for (SeatNumber seat = 1; seat <= 100; ++seat) {
    Block(seat);
    living.insert(*pages.Get(schedule_, SeatsForm::kFull));
  }
  EXPECT_GE(living.size(), 2U) << "the first versions are rendered at once";
  EXPECT_LE(living.size(), 4U);
  const auto version = (*living.begin())->version;
  living.clear();
  EXPECT_GT((*pages.Get(schedule_, SeatsForm::kFull))->version, version + 90)
      << "fresh again once they are gone";
}

TEST_F(SeatsPagesTest, TheOldestVersionIsWithdrawnWhenTooManyLive) {
  std::vector<std::shared_ptr<const SeatsPage>> living;
  const auto size = Page()->body.capacity();
  SeatsPages pages(read_, {.bytes = 16 * size, .longest_pause = std::chrono::milliseconds{0}});
  for (SeatNumber seat = 1; seat <= 100; ++seat) {
    Block(seat);
    living.push_back(*pages.Get(schedule_, SeatsForm::kFull));
    // The server drops the readers of a withdrawn version.
    std::erase_if(living, [](const auto& page) { return page->withdrawn.load(); });
    ASSERT_LE(living.size(), 9U);
  }
  EXPECT_EQ(living.back()->version, Page()->version) << "new readers get the newest version";
  EXPECT_GT(pages.withdrawn(), 80U);
  EXPECT_LE(pages.bytes(), 16 * size);
}

TEST_F(SeatsPagesTest, ReadersThatCannotBeDroppedAtOnceDoNotMakeMoreVersions) {
  std::set<std::shared_ptr<const SeatsPage>> living;
  const auto size = Page()->body.capacity();
  SeatsPages pages(read_, {.bytes = 16 * size, .longest_pause = std::chrono::milliseconds{0}});
  for (SeatNumber seat = 1; seat <= 100; ++seat) {
    Block(seat);
    living.insert(*pages.Get(schedule_, SeatsForm::kFull));
  }
  EXPECT_LE(living.size(), 12U);
}

TEST_F(SeatsPagesTest, AllMapsTogetherStayWithinTheBudget) {
  std::vector<ScheduleId> schedules;
  for (int i = 0; i < 40; ++i) schedules.push_back(MakeSchedule());
  const auto size = Page()->body.capacity();
  SeatsPages pages(read_, {.bytes = 10 * size});
  for (const auto schedule : schedules) ASSERT_TRUE(pages.Get(schedule, SeatsForm::kFull).ok());
  EXPECT_LE(pages.bytes(), 10 * size) << "maps without readers make room";
  std::vector<std::shared_ptr<const SeatsPage>> living;
  int refused = 0;
  for (const auto schedule : schedules) {
    const auto page = pages.Get(schedule, SeatsForm::kFull);
    if (page) {
      living.push_back(*page);
    } else {
      EXPECT_EQ(page.error(), Refusal::kUnavailable);
      ++refused;
    }
  }
  EXPECT_GT(refused, 20) << "maps with readers do not, while they are young";
  EXPECT_LE(pages.bytes(), 11 * size);
  SeatsPages impatient(read_, {.bytes = 10 * size, .least_life = std::chrono::milliseconds{0}});
  living.clear();
  for (const auto schedule : schedules) {
    auto page = impatient.Get(schedule, SeatsForm::kFull);
    std::erase_if(living, [](const auto& read) { return read->withdrawn.load(); });
    if (!page) page = impatient.Get(schedule, SeatsForm::kFull);
    ASSERT_TRUE(page.ok());
    living.push_back(*page);
  }
  EXPECT_GT(impatient.withdrawn(), 20U) << "the oldest versions give way";
}

TEST_F(SeatsPagesTest, UnknownDateIsRefused) {
  EXPECT_EQ(pages_.Get(404, SeatsForm::kFull).error(), Refusal::kScheduleNotFound);
}

}  // namespace
}  // namespace maejin::http
