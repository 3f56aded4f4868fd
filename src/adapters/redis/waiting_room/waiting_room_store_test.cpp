// Rooms in Redis: their keys as redis-cli shows them, their phases, and an outage of Redis.
#include "adapters/redis/waiting_room/waiting_room_store.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/redis_rooms.h"

namespace maejin::redis {
namespace {

TEST_F(RedisRooms, CheckInsideOfAnEnteredFanTakesTwoReads) {
  auto& store = Store();
  Set("7", {.capacity = 1});
  const auto epoch = Join("7", "ann").epoch;
  Join("7", "bob");
  ASSERT_TRUE(RunTask(store.Enter({"7", "ann"}, now_)).ok());
  const PlaceRef ann{"7", "ann", 1, epoch};
  ASSERT_TRUE(RunTask(store.CheckInside(ann, now_)).ok());  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  EXPECT_TRUE(RunTask(store.CheckInside(ann, now_)).ok());
  EXPECT_EQ(server_.Calls("evalsha"), 1);
  EXPECT_EQ(server_.Calls("hmget") + server_.Calls("hget"), 2);
  EXPECT_EQ(RunTask(store.CheckInside({"7", "bob", 2, epoch}, now_)).error(), Refusal::kNotYourTurn);
  EXPECT_EQ(RunTask(store.CheckInside({"7", "eve", 2, epoch}, now_)).error(), Refusal::kNotQueued);
}

TEST_F(RedisRooms, KeysHaveTheNamesOfTheRequirements) {
  Store(
      {.token_of = [](const PlaceView& place) { return "token-of-" + std::string(place.user); },
       .seats_left =
           [](const RoomId& room) { return room == "7" ? std::optional<std::int64_t>(50) : std::nullopt; }});
  Set("7", {.capacity = 1});
  Join("7", "minji");
  Join("7", "haerin");
  ASSERT_TRUE(RunTask(store_->Enter({"7", "minji"}, now_)).ok());
  EXPECT_EQ(server_.Cli("ZRANGE queue:7 0 -1"), "haerin\n");
  EXPECT_EQ(server_.Cli("ZRANK queue:7 haerin"), "0\n");
  EXPECT_EQ(server_.Cli("GET token:7:minji"), "1\n");
  EXPECT_NE(server_.Cli("TTL token:7:minji"), "-1\n");
  EXPECT_EQ(server_.Cli("EXISTS token:7:haerin"), "0\n");
  EXPECT_EQ(server_.Cli("GET token:count:7"), "1\n");
  EXPECT_EQ(server_.Cli("ZRANGE room:7:slots 0 -1"), "minji\n");
  store_->Tick(now_ + Seconds{1});
  test::AwaitCli(server_.port(), "GET seat:count:7", "50");
  ASSERT_TRUE(RunTask(store_->Leave({"7", "minji"}, now_)).ok());
  EXPECT_EQ(server_.Cli("EXISTS token:7:minji"), "0\n");
  EXPECT_EQ(server_.Cli("GET token:count:7"), "0\n");

  Set("main", {.capacity = 1});
  Join("main", "danielle");
  Join("main", "hyein");
  test::AwaitCli(server_.port(), "SMEMBERS queue:active", "token-of-danielle");
  test::AwaitCli(server_.port(), "ZRANGE queue:waiting 0 -1", "token-of-hyein");
  test::AwaitCli(server_.port(), "GET queue:user:danielle", "token-of-danielle");
  test::AwaitCli(server_.port(), "GET queue:token:token-of-danielle", "danielle");
  EXPECT_NE(server_.Cli("TTL queue:token:token-of-danielle"), "-1\n");
  ASSERT_TRUE(RunTask(store_->Leave({"main", "danielle"}, now_)).ok());
  EXPECT_EQ(server_.Cli("SMEMBERS queue:active"), "token-of-hyein\n") << "the next was pushed in";
  EXPECT_EQ(server_.Cli("ZCARD queue:waiting"), "0\n");
}

TEST_F(RedisRooms, PlaceIsRestoredAtItsNumberAfterALoss) {
  auto& store = Store({.hold_after_loss = Millis{5000}});
  Set("7", {.capacity = 1, .notice = std::string("hello")});
  std::vector<PlaceAnswer> before;
  for (const char* user : {"ann", "bob", "cat"}) before.push_back(Join("7", user));
  ASSERT_TRUE(RunTask(store.Read("7", now_)).ok());
  server_.Cli("FLUSHALL");
  const auto poll = [&](const char* user, std::size_t i) {
    return RunTask(store.Poll({"7", user, before[i].standing.number, before[i].epoch}, now_));
  };
  now_ += Seconds{1};
  const auto newcomer = Join("7", "eve");
  EXPECT_EQ(poll("cat", 2)->standing.number, 3U);
  EXPECT_EQ(poll("ann", 0)->standing.rank, 0U) << "whoever comes back first, the order is the old one";
  EXPECT_EQ(poll("bob", 1)->standing.rank, 1U);
  EXPECT_EQ(poll("cat", 2)->standing.rank, 2U);
  EXPECT_EQ(*poll("cat", 2)->notice, "hello");
  EXPECT_EQ(RunTask(store.Poll({"7", "eve"}, now_))->standing.rank, 3U);
  EXPECT_GT(newcomer.epoch, before[0].epoch);
  EXPECT_EQ(RunTask(store.Enter({"7", "ann", 1, before[0].epoch}, now_)).error(), Refusal::kNotYourTurn)
      << "nobody is admitted while others may still come back";
  now_ += Seconds{5};
  EXPECT_TRUE(RunTask(store.Enter({"7", "ann", 1, before[0].epoch}, now_)).ok());
}

TEST_F(RedisRooms, RanksAreReportedDuringAnOutage) {
  auto& store = Store();
  Set("7", {.capacity = 0});
  std::vector<PlaceAnswer> places;
  for (int i = 0; i < 10; ++i) places.push_back(Join("7", "fan" + std::to_string(i)));
  ASSERT_TRUE(RunTask(store.Read("7", now_)).ok());
  server_.Kill();
  now_ += Millis{300};
  const auto told = RunTask(store.Poll({"7", "fan4", places[4].standing.number, places[4].epoch}, now_));
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->standing.rank, 4U);
  EXPECT_EQ(told->state, RoomState::kPaused);
  EXPECT_EQ(RunTask(store.Join({"7", "late"}, now_)).error(), Refusal::kUnavailable);
  EXPECT_EQ(RunTask(store.Enter({"7", "fan0", 1, places[0].epoch}, now_)).error(), Refusal::kUnavailable);
}

TEST_F(RedisRooms, PhasesAndTheDrawHappenByTime) {
  auto& store = Store();
  Set("7", {.state = RoomState::kClosed});
  Set("7", {.capacity = 0,
            .pre_queue_at = std::optional(now_ + Seconds{10}),
            .opens_at = std::optional(now_ + Seconds{20}),
            .closes_at = std::optional(now_ + Seconds{30}),
            .state = RoomState::kScheduled});
  EXPECT_EQ(RunTask(store.Join({"7", "ann"}, now_)).error(), Refusal::kNotOpen);
  now_ += Seconds{10};
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(Join("7", "fan" + std::to_string(i)).standing.rank);
  now_ += Seconds{10};
  const auto draw_rank = RunTask(store.Poll({"7", "fan3"}, now_))->standing.rank;
  const auto draw = RunTask(store.Read("7", now_))->draws.back();
  EXPECT_EQ(draw.count, 20U);
  EXPECT_EQ(draw_rank, Shuffle(draw.seed, draw.count).PositionOf(3));
  EXPECT_EQ(Join("7", "late").standing.rank, 20U);
  now_ += Seconds{10};
  EXPECT_EQ(RunTask(store.Join({"7", "later"}, now_)).error(), Refusal::kRoomClosed);
}

TEST_F(RedisRooms, TurnLastsLongerByATimeInWhichNoNodeServedTheRoom) {
  // Control: if the same time does not count as a pause, the turn passes to bob.
  for (const bool is_pause : {true, false}) {
    auto& store = Store({.pause_after = is_pause ? Millis{2000} : Millis{60'000}});
    const std::string room = is_pause ? "7" : "8";
    ASSERT_TRUE(RunTask(store.EnsureRoom(room, now_)).ok());
    Set(room.c_str(), {.capacity = 1, .admission = Admission::kClaim, .turn = Seconds{4}});
    Join(room.c_str(), "ann");
    Join(room.c_str(), "bob");
    ASSERT_EQ(RunTask(store.Poll({room, "ann"}, now_))->standing.status, PlaceStatus::kReady);
    now_ += Seconds{6};
    const auto entered = RunTask(store.Enter({room, "bob"}, now_));
    ASSERT_EQ(entered.ok(), !is_pause);
    if (is_pause) {
      EXPECT_EQ(entered.error(), Refusal::kNotYourTurn);
    }
    EXPECT_EQ(RunTask(store.Enter({room, "ann"}, now_)).ok(), is_pause);
  }
}

TEST_F(RedisRooms, StatsOfANodeCountTheChangesOfAllNodes) {
  auto& store = Store();
  Set("7", {.capacity = 1, .token_ttl = Seconds{10}});
  WaitingRoomStore other(client_, random_, log_, {});
  ASSERT_TRUE(RunTask(other.Read("7", now_)).ok());
  for (const char* user : {"ann", "bob", "cat", "dan"}) Join("7", user);
  ASSERT_TRUE(RunTask(store.Enter({"7", "ann"}, now_)).ok());
  ASSERT_TRUE(RunTask(store.Leave({"7", "bob"}, now_)).ok());
  ASSERT_TRUE(RunTask(store.Revoke({"7", "cat", "user x", "tester"}, now_)).ok());
  now_ += Seconds{11};
  for (auto* node : {&store, &other}) {
    ASSERT_TRUE(RunTask(node->ReadServing("7", now_)).ok());
    const auto all = node->Stats();
    const auto stats = std::find_if(all.begin(), all.end(), [](auto& each) { return each.room == "7"; });
    ASSERT_NE(stats, all.end());
    EXPECT_EQ(stats->arrivals, 4U);
    EXPECT_EQ(stats->admissions, 1U);
    const auto ends = [&](Ending ending) { return stats->ends[static_cast<std::size_t>(ending)]; };
    EXPECT_EQ(ends(Ending::kLeft), 1U);
    EXPECT_EQ(ends(Ending::kRevoked), 1U);
    EXPECT_EQ(ends(Ending::kExpired), 1U);
    EXPECT_EQ(stats->serving.waiting, 1U);
    EXPECT_EQ(stats->serving.entered, 0U);
  }
}

}  // namespace
}  // namespace maejin::redis
