#include "base/timer_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace maejin {
namespace {

constexpr auto kStart = TimeFromMillis(1'794'736'800'123);

std::vector<int> Fired(TimerWheel<int>& wheel, Time now) {
  std::vector<int> fired;
  wheel.Advance(now, [&](int payload) { fired.push_back(payload); });
  return fired;
}

TEST(TimerWheel, FiresAtTheDeadlineAndNotBefore) {
  TimerWheel<int> wheel;
  wheel.Advance(kStart, [](int) {});
  wheel.Arm(kStart + Millis{300'000}, 1);
  EXPECT_TRUE(Fired(wheel, kStart + Millis{299'999}).empty());
  EXPECT_EQ(Fired(wheel, kStart + Millis{300'000}), std::vector{1});
  EXPECT_TRUE(Fired(wheel, kStart + Millis{900'000}).empty());
  EXPECT_FALSE(wheel.NextDue());
}

TEST(TimerWheel, APastDeadlineFiresAtTheNextAdvance) {
  TimerWheel<int> wheel;
  wheel.Advance(kStart, [](int) {});
  wheel.Arm(kStart, 1);
  wheel.Arm(kStart - Millis{5}, 2);
  EXPECT_LE(wheel.NextDue(), kStart);
  EXPECT_EQ(Fired(wheel, kStart).size(), 2U);
}

TEST(TimerWheel, ADeadlineMayBeRenewedWhileItFires) {
  TimerWheel<int> wheel;
  wheel.Arm(kStart, 3);
  int fired = 0;
  wheel.Advance(kStart + Millis{10'000}, [&](int left) {
    ++fired;
    if (left > 0) wheel.Arm(kStart + Millis{1000 * (4 - left)}, left - 1);
  });
  EXPECT_EQ(fired, 4);
}

TEST(TimerWheel, AnUnusedWheelTakesNoMemory) { EXPECT_EQ(TimerWheel<int>().bytes(), 0U); }

TEST(TimerWheel, AgreesWithASortedMapOverAMillionDeadlines) {
  std::mt19937_64 random(20261115);
  TimerWheel<int> wheel;
  std::multimap<Time, int> model;
  Time now = kStart;
  wheel.Advance(now, [](int) {});
  for (int step = 0; step < 20'000; ++step) {
    for (int i = 0; i < 50; ++i) {
      const auto reach = std::uint64_t{1} << (random() % 33);
      const auto at = now + Millis{static_cast<std::int64_t>(random() % reach)};
      wheel.Arm(at, step * 50 + i);
      model.emplace(at, step * 50 + i);
    }
    now += Millis{static_cast<std::int64_t>(random() % (1U << (random() % 20)))};
    std::vector<int> expected;
    while (!model.empty() && model.begin()->first <= now) {
      expected.push_back(model.begin()->second);
      model.erase(model.begin());
    }
    auto fired = Fired(wheel, now);
    std::sort(fired.begin(), fired.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(fired, expected) << "step " << step;
    ASSERT_EQ(wheel.NextDue().has_value(), !model.empty());
    if (!model.empty()) {
      ASSERT_LE(*wheel.NextDue(), model.begin()->first);
      ASSERT_GT(*wheel.NextDue(), now);
    }
  }
}

}  // namespace
}  // namespace maejin
