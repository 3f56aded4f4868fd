#include "adapters/redis/client/clock_offset.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace maejin::redis {
namespace {

using std::chrono::nanoseconds;

nanoseconds offset_wall;
nanoseconds offset_steady;

// The test sets the clocks of a virtual machine and of a virtual Redis.
class RedisClockOffsetTest : public testing::Test {
 protected:
  RedisClockOffsetTest() {
    offset_wall = redis_ = Seconds{1'000'000};
    offset_steady = Seconds{5};
  }

  static std::unique_ptr<ClockOffset> Node() {
    return std::make_unique<ClockOffset>(
        ClockOffset::Sources{[] { return offset_wall; }, [] { return offset_steady; }});
  }
  void Measure(ClockOffset& node, Millis shift = Millis{0}) const {
    node.Measure(offset_steady, RedisNow(), shift);
  }
  Time RedisNow() const { return TimeFromMillis(redis_.count() / 1'000'000); }
  static Time Now(ClockOffset& node) { return node.Correct(Time{}); }
  // Ticks every 50 ms and calls `every_second` with the number of the second.
  void Pass(Seconds time, const std::vector<ClockOffset*>& nodes,
            const std::function<void(int)>& every_second) {
    for (int i = 0; i < time / Millis{50}; ++i) {
      redis_ += Millis{50};
      offset_wall += Millis{50};
      offset_steady += Millis{50};
      if (i % 20 == 0) every_second(i / 20);
      for (auto* node : nodes) node->Tick();
    }
  }
  void Pass(Seconds time, ClockOffset& node) {
    Pass(time, {&node}, [&](int second) {
      if (second % 2 == 0) Measure(node);
    });
  }

  nanoseconds redis_;
};

TEST_F(RedisClockOffsetTest, StartsAtRedissTime) {
  const auto node = Node();
  EXPECT_EQ(node->Correct(TimeFromMillis(7)), TimeFromMillis(7)) << "the node's own time until then";
  redis_ += Seconds{600};
  const auto sent = offset_steady;
  offset_steady += Millis{10};
  node->Measure(sent, RedisNow());
  EXPECT_EQ(Now(*node), RedisNow() + Millis{5}) << "the reply is half a round trip old";
  EXPECT_NEAR(static_cast<double>(node->offset().count()), 600'000, 5);
}

TEST_F(RedisClockOffsetTest, JumpOfRedisIsSlewedInBothDirections) {
  for (const auto jump : {Seconds{3600}, Seconds{-3600}}) {
    const auto node = Node();
    Measure(*node);
    const auto before = Now(*node);
    redis_ += jump;
    Pass(Seconds{64}, *node);
    const auto slewed = jump > Seconds{0} ? 2000 : -2000;
    EXPECT_NEAR(static_cast<double>((Now(*node) - before).count()), 64'000 + slewed, 100);
    redis_ -= jump;
    Pass(Seconds{64}, *node);
    EXPECT_NEAR(static_cast<double>((Now(*node) - before).count()), 128'000, 10) << "Redis was corrected";
  }
}

TEST_F(RedisClockOffsetTest, TimeNeverGoesBack) {
  const auto node = Node();
  Measure(*node);
  auto latest = Now(*node);
  redis_ -= Seconds{3600};
  Pass(Seconds{10}, {node.get()}, [&](int) {
    Measure(*node);
    EXPECT_GE(Now(*node), latest);
    latest = Now(*node);
  });
}

TEST_F(RedisClockOffsetTest, RedisThatTheMachineConfirmsIsFollowedInOneStep) {
  const auto node = Node();
  redis_ -= Seconds{600};
  Measure(*node);
  redis_ += Seconds{600};
  Pass(Seconds{2}, *node);
  EXPECT_LT(Now(*node), RedisNow() - Seconds{599}) << "not before the difference is confirmed";
  EXPECT_FALSE(node->Shift()) << "a node that starts now takes Redis's time";
  Pass(Seconds{4}, *node);
  EXPECT_EQ(Now(*node), RedisNow());
}

TEST_F(RedisClockOffsetTest, SuspendedMachineCatchesUpInOneStep) {
  const auto node = Node();
  Measure(*node);
  offset_wall += Seconds{60};  // the steady clock stood still
  redis_ += Seconds{60};
  Pass(Seconds{6}, *node);
  EXPECT_EQ(Now(*node), RedisNow());
}

TEST_F(RedisClockOffsetTest, SlowReplyIsIgnored) {
  const auto node = Node();
  Measure(*node);
  const auto sent = offset_steady;
  const auto old = RedisNow();
  Pass(Seconds{4}, {node.get()}, [](int) {});
  node->Measure(sent, old);
  EXPECT_EQ(node->offset(), Millis{0});
}

TEST_F(RedisClockOffsetTest, NodesThatSlewOneJumpStayTogether) {
  const auto even = Node();
  const auto odd = Node();
  const auto late = Node();
  Measure(*even);
  Measure(*odd);
  redis_ += Seconds{3600};
  Pass(Seconds{600}, {even.get(), odd.get(), late.get()}, [&](int second) {
    Measure(second % 2 == 0 ? *even : *odd);
    if (second == 0) return;
    // It reads what a running node wrote at its last measurement.
    if (second == 300) Measure(*late, *odd->Shift());
    if (second > 300 && second % 2 == 0) Measure(*late);
    for (auto* node : {odd.get(), late.get()}) {
      if (!node->measured()) continue;
      EXPECT_NEAR(static_cast<double>((Now(*node) - Now(*even)).count()), 0, 100) << second;
    }
  });
  EXPECT_LT(Now(*late), RedisNow() - Seconds{3500});
}

}  // namespace
}  // namespace maejin::redis
