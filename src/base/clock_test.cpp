#include "base/clock.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

using std::chrono::nanoseconds;

nanoseconds wall_now;
nanoseconds steady_now;

class SystemClockTest : public testing::Test {
 protected:
  SystemClockTest() {
    wall_now = Seconds{1'000'000};
    steady_now = Seconds{5};
  }
  void Pass(nanoseconds time) {
    wall_now += time;
    steady_now += time;
  }
};

TEST_F(SystemClockTest, StartsAtTheWallClockAndMovesWithTime) {
  const SystemClock clock({[] { return wall_now; }, [] { return steady_now; }});
  EXPECT_EQ(clock.Now(), TimeFromMillis(1'000'000'000));
  Pass(Millis{1234});
  EXPECT_EQ(clock.Now(), TimeFromMillis(1'000'001'234));
}

TEST_F(SystemClockTest, AWallClockThatIsSetByAnHourMovesNoDeadline) {
  for (const auto jump : {Seconds{3600}, Seconds{-3600}}) {
    const SystemClock clock({[] { return wall_now; }, [] { return steady_now; }});
    const auto before = clock.Now();
    wall_now += jump;
    for (int i = 0; i < 600; ++i) {
      const auto earlier = clock.Now();
      Pass(Millis{500});
      EXPECT_GE(clock.Now(), earlier);
    }
    // 300 s have passed; at most 1/32 more or less.
    EXPECT_NEAR(static_cast<double>((clock.Now() - before).count()), 300'000, 300'000 / 32 + 20);
  }
}

TEST_F(SystemClockTest, ASmallDifferenceIsSlewed) {
  const SystemClock clock({[] { return wall_now; }, [] { return steady_now; }});
  wall_now += Seconds{1};
  for (int i = 0; i < 600; ++i) {
    Pass(Millis{100});
    (void)clock.Now();
  }
  EXPECT_EQ(ToMillis(clock.Now()), std::chrono::duration_cast<Millis>(wall_now).count());
}

}  // namespace
}  // namespace maejin
