// What a room has to follow of its concert, against the embedded store.
#include "usecase/follow_concert.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/run_task.h"
#include "tests/support/await.h"
#include "tests/support/embedded_booking.h"

namespace maejin {
namespace {

constexpr Time kNamed = TimeFromMillis(1'794'736'800'000);

TEST(FollowConcertTest, ConcertThatIsNotOnDiskHasNothingToFollow) {
  EmbeddedBookingUnderTest bookings;
  auto& store = bookings.store();
  std::thread creating;
  ASSERT_TRUE(bookings.journal().BetweenCommits([&] {
    creating = std::thread([&] {
      ASSERT_TRUE(RunTask(store.CreateConcert({"Title", "Artist", "Venue"}, {}, {"tester", kNamed})).ok());
    });
    ASSERT_TRUE(test::Await([&] { return !store.ListConcerts(0, 1, kNamed).empty(); }));
    EXPECT_EQ(store.ListConcerts(0, 1, kNamed)[0].life, 1) << "memory has it";
    EXPECT_EQ(store.ListChanges(0, 1)[0].life, 0);
  }));
  creating.join();
  EXPECT_EQ(store.ListChanges(0, 1)[0].life, 1);
}

}  // namespace
}  // namespace maejin
