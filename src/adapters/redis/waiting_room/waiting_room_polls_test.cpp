// Many fans join, poll or enter at once.
#include <gtest/gtest.h>

#include "tests/support/redis_rooms.h"

namespace maejin::redis {
namespace {

TEST_F(RedisRooms, JoinsOfARoomWithFreeSlotsShareAScript) {
  auto& store = Store();
  Set("7", {.capacity = 30});
  Join("7", "fan0");  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  const auto told = AllAtOnce(50, [&](auto i) { return store.Join({"7", FanName(i)}, now_); });
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto& standing = (*told[i])->standing;
    EXPECT_EQ(Name(standing.status), Name(i < 30 ? PlaceStatus::kReady : PlaceStatus::kWaiting)) << i;
    EXPECT_EQ(standing.ends_at, i < 30 ? std::optional(now_ + DefaultSettings("7").turn) : std::nullopt);
  }
  EXPECT_LT(server_.Calls("evalsha"), kFewBatches);
  EXPECT_EQ(server_.Cli("ZCARD room:7:turns"), "30\n");
}

TEST_F(RedisRooms, EntriesAtOneMomentShareAScript) {
  auto& store = Store();
  Set("7", {.capacity = 50});
  for (PlaceNumber i = 0; i < 50; ++i) Join("7", FanName(i));
  ASSERT_TRUE(RunTask(store.Enter({"7", "fan0"}, now_)).ok());  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  const auto told = AllAtOnce(49, [&](auto i) { return store.Enter({"7", FanName(i + 1)}, now_); });
  for (const auto& each : told) ASSERT_TRUE(each->ok());
  EXPECT_LT(server_.Calls("zrem"), 3 * kFewBatches) << "three a script: queue, turns, skipped";
  EXPECT_EQ(server_.Cli("ZCARD room:7:slots"), "50\n");
  EXPECT_EQ(server_.Cli("GET token:count:7"), "50\n");
  // The database has recorded all admissions: the log is empty.
  test::AwaitCli(server_.port(), "LLEN room:7:log", "0");
}

TEST_F(RedisRooms, JoinsOfAPreQueueShareAScript) {
  auto& store = Store();
  RoomPatch patch{.pre_queue_at = now_, .opens_at = now_ + Seconds{600}};
  patch.state = RoomState::kPreQueue;
  Set("7", patch);
  Join("7", "fan0");  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  for (const bool joining : {true, false}) {
    now_ += Seconds{1};
    const auto told = AllAtOnce(50, [&](auto i) {
      return joining ? store.Join({"7", FanName(i)}, now_) : store.Poll({"7", FanName(i), i + 1}, now_);
    });
    for (std::size_t i = 0; i < told.size(); ++i) {
      ASSERT_TRUE(told[i]->ok());
      const auto& standing = (*told[i])->standing;
      EXPECT_EQ(standing.number, i + 1) << "in the order they came";
      EXPECT_FALSE(standing.rank) << "there is no order yet";
      EXPECT_EQ(standing.poll_interval, Seconds{10});
    }
  }
  EXPECT_LT(server_.Calls("evalsha"), 2 * kFewBatches);
}

class SilentFans : public RedisRooms {
 protected:
  // A room with this many fans, all of them absent.
  WaitingRoomStore& Room(PlaceNumber fans, RoomPatch patch) {
    auto& store = Store();
    Set("7", std::move(patch));
    for (PlaceNumber i = 0; i < fans; ++i) Join("7", FanName(i));
    StaySilent();
    return store;
  }
  void StaySilent() {
    now_ += Seconds{20};
    ASSERT_TRUE(RunTask(store_->Read("7", now_)).ok());
    ASSERT_EQ(server_.Cli("ZCARD room:7:skipped"), server_.Cli("ZCARD queue:7"));
  }
  auto PollAtOnce(PlaceNumber fans) {
    return AllAtOnce(fans, [&](auto i) { return store_->Poll({"7", FanName(i), i + 1}, now_); });
  }
};

// After an outage all fans are absent. If each returning poll ran its own script, Redis would stay slow.
TEST_F(SilentFans, ReturningTogetherShareAScript) {
  Room(50, {.capacity = 0});
  server_.Cli("CONFIG RESETSTAT");
  const auto told = PollAtOnce(50);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ((*told[i])->standing.rank, i);
  EXPECT_LT(server_.Calls("evalsha"), kFewBatches);
  EXPECT_EQ(server_.Cli("ZCARD room:7:skipped"), "0\n") << "they are waited for again";
  StaySilent();
}

TEST_F(SilentFans, ReturningTogetherAreReadyUpToTheCapacity) {
  Room(10, {.capacity = 2});
  const auto told = PollAtOnce(10);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto status = i < 2 ? PlaceStatus::kReady : PlaceStatus::kWaiting;
    EXPECT_EQ(Name((*told[i])->standing.status), Name(status)) << i;
  }
}

// Two kinds of fans with nearly the same poll interval: undrawn fans of a second pre-queue that opens soon,
// and a fan of the first one near the front.
TEST_F(RedisRooms, DeadlinesOfABatchFireForEachFan) {
  auto& store = Store();
  Set("7", {.capacity = 0});
  const auto joined = AllAtOnce(501, [&](auto i) { return store.Join({"7", FanName(i)}, now_); });
  ASSERT_EQ((*joined[500])->standing.poll_interval, Seconds{4});
  ASSERT_TRUE(RunTask(store.Leave({"7", "fan0"}, now_)).ok());
  RoomPatch patch{.pre_queue_at = now_, .opens_at = now_ + Millis{7800}};
  patch.state = RoomState::kPreQueue;
  Set("7", patch);
  ASSERT_TRUE(RunTask(store.Poll({"7", "fan1"}, now_)).ok());  // later requests gather in a batch
  const auto told = AllAtOnce(3, [&](auto i) {
    return i == 1 ? store.Poll({"7", "fan500"}, now_) : store.Join({"7", i == 0 ? "ann" : "bob"}, now_);
  });
  EXPECT_EQ((*told[1])->standing.poll_interval, Seconds{2});
  EXPECT_EQ((*told[2])->standing.poll_interval, Millis{1950});
  const auto at = std::to_string(ToMillis(now_ + Seconds{6}));
  const auto due = server_.Cli("ZRANGEBYSCORE room:7:due " + at + " " + at);
  for (const char* user : {"ann", "fan500", "bob"}) EXPECT_NE(due.find(user), std::string::npos) << user;
}

}  // namespace
}  // namespace maejin::redis
