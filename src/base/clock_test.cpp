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

TEST_F(SystemClockTest, AWallClockThatIsSetBackMovesNoDeadline) {
  const SystemClock clock({[] { return wall_now; }, [] { return steady_now; }});
  const auto before = clock.Now();
  wall_now -= Seconds{3600};
  for (int i = 0; i < 600; ++i) {
    const auto earlier = clock.Now();
    Pass(Millis{500});
    EXPECT_GE(clock.Now(), earlier);
  }
  // 300 s have passed; the clock shows at most 1/32 less.
  EXPECT_NEAR(static_cast<double>((clock.Now() - before).count()), 300'000, 300'000 / 32 + 20);
}

TEST_F(SystemClockTest, AWallClockThatStaysTenMinutesAheadIsFollowedInOneStep) {
  SystemClock clock({[] { return wall_now; }, [] { return steady_now; }});
  Millis stepped{0};
  clock.OnStep([&](Millis by) { stepped += by; });
  wall_now += Seconds{600};
  for (int i = 0; i < 20; ++i) {
    Pass(Millis{100});
    (void)clock.Now();
  }
  EXPECT_EQ(stepped, Millis{0}) << "not before the difference is confirmed";
  for (int i = 0; i < 20; ++i) {
    Pass(Millis{100});
    (void)clock.Now();
  }
  EXPECT_EQ(stepped, Seconds{600});
  EXPECT_EQ(ToMillis(clock.Now()), std::chrono::duration_cast<Millis>(wall_now).count());
}

TEST_F(SystemClockTest, AWallClockThatIsSetBackWithinTheConfirmationIsNotFollowed) {
  const SystemClock clock({[] { return wall_now; }, [] { return steady_now; }});
  const auto before = clock.Now();
  for (const auto jump : {Seconds{600}, Seconds{-600}}) {
    wall_now += jump;
    for (int i = 0; i < 20; ++i) {
      Pass(Millis{100});
      (void)clock.Now();
    }
  }
  EXPECT_EQ(clock.Now() - before, Seconds{4});
}

TEST_F(SystemClockTest, AnEvenClockTakesNoStep) {
  const SystemClock clock({[] { return wall_now; }, [] { return steady_now; }}, SystemClock::Steps::kNever);
  const auto before = clock.Now();
  wall_now += Seconds{600};
  for (int i = 0; i < 100; ++i) {
    Pass(Millis{100});
    (void)clock.Now();
  }
  EXPECT_LT(clock.Now() - before, Seconds{11});
}

TEST_F(SystemClockTest, AMarkOfAnEarlierRunMovesTheClockForwardAndNeverBack) {
  SystemClock clock({[] { return wall_now; }, [] { return steady_now; }});
  const auto start = clock.Now();
  clock.StartNotBefore(start + Seconds{3600});
  EXPECT_EQ(clock.Now(), start + Seconds{3600});
  clock.StartNotBefore(start);
  Pass(Seconds{1});
  EXPECT_NEAR(static_cast<double>((clock.Now() - start).count()), 3'601'000, 40) << "it goes on from there";
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
