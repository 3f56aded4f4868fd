#include "base/forward_clock.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

std::chrono::nanoseconds passed;

class SettableClock final : public Clock {
 public:
  Time Now() const override { return now; }
  Time now = TimeFromMillis(1'000'000'000);
};

class ForwardClockTest : public testing::Test {
 protected:
  // Ticks once a second, as the server does.
  void Pass(Seconds time) {
    for (Seconds i{0}; i < time; ++i) {
      passed += Seconds{1};
      if (runs_) source_.now += Seconds{1};
      clock_.Tick();
    }
  }

  // Sets the steady time of this test before `clock_` reads it: an earlier test has changed it.
  struct SteadyStart {
    SteadyStart() { passed = Seconds{7}; }
  };

  SettableClock source_;
  SteadyStart start_;
  ForwardClock clock_{source_, [] { return passed; }};
  bool runs_ = true;
};

TEST_F(ForwardClockTest, ShowsItsSource) {
  EXPECT_EQ(clock_.Now(), source_.now);
  Pass(Seconds{100});
  source_.now += Seconds{3600};
  EXPECT_EQ(clock_.Now(), source_.now) << "forward it follows at once";
  EXPECT_EQ(clock_.ahead(), Millis{0});
}

TEST_F(ForwardClockTest, SourceBehindAMarkLetsTimeRunOnFromTheMark) {
  const auto mark = source_.now + Seconds{3600};
  clock_.NotBefore(mark);
  EXPECT_EQ(clock_.Now(), mark);
  Pass(Seconds{64});
  EXPECT_NEAR(static_cast<double>((clock_.Now() - mark).count()), 62'000, 1'000) << "1/32 slower";
  EXPECT_GT(clock_.ahead(), Seconds{3590});
  source_.now += Seconds{3600};
  const auto before = clock_.Now();
  EXPECT_EQ(before, source_.now) << "the source was corrected";
  Pass(Seconds{1});
  EXPECT_EQ(clock_.Now(), source_.now);
  EXPECT_EQ(clock_.ahead(), Millis{0});
}

TEST_F(ForwardClockTest, MarkInThePastChangesNothing) {
  clock_.NotBefore(source_.now - Seconds{1});
  EXPECT_EQ(clock_.Now(), source_.now);
}

TEST_F(ForwardClockTest, SourceThatIsSetBackOrStopsDoesNotStopTime) {
  Pass(Seconds{3});
  const auto before = clock_.Now();
  source_.now -= Seconds{3600};
  Pass(Seconds{1});
  EXPECT_GE(clock_.Now(), before + Seconds{1});
  runs_ = false;
  auto latest = clock_.Now();
  for (int i = 0; i < 32; ++i) {
    Pass(Seconds{1});
    EXPECT_GE(clock_.Now(), latest) << "never backwards";
    latest = clock_.Now();
  }
  EXPECT_GE(latest, before + Seconds{31});
}

TEST_F(ForwardClockTest, SlewedSourceIsFollowed) {
  for (int i = 0; i < 320; ++i) {
    passed += Millis{1000};
    source_.now += Millis{969};
    clock_.Tick();
    EXPECT_EQ(clock_.Now(), source_.now);
  }
}

}  // namespace
}  // namespace maejin
