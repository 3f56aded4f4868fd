// What other programs read of a room: scores as join times, the seats left.
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/lost_rooms.h"
#include "tests/support/redis_rooms.h"

namespace maejin::redis {
namespace {

// User and score of each waiter, by score.
std::vector<std::pair<std::string, std::int64_t>> Scores(test::RedisServer& server) {
  std::istringstream text(server.Cli("ZRANGE queue:7 0 -1 WITHSCORES"));
  std::vector<std::pair<std::string, std::int64_t>> scores;
  std::string user;
  for (std::int64_t score = 0; text >> user >> score;) scores.emplace_back(user, score);
  return scores;
}

TEST_F(RedisRooms, ScoresOfJoinsInOneMillisecondAreItsMicroseconds) {
  Store();
  Set("7", {.capacity = 0});
  const auto micros = ToMillis(now_) * 1000;
  for (const char* user : {"ann", "bob", "cat"}) Join("7", user);
  now_ += Millis{5};
  Join("7", "dan");
  const std::vector<std::pair<std::string, std::int64_t>> expected = {
      {"ann", micros}, {"bob", micros + 1}, {"cat", micros + 2}, {"dan", micros + 5000}};
  EXPECT_EQ(Scores(server_), expected);
}

TEST_F(RedisRooms, FanBehindAbsentFansIsReady) {
  Store();
  Set("7", {.capacity = 1});
  const auto ann = Join("7", "ann");
  for (int i = 0; i < 5; ++i) Join("7", "absent" + std::to_string(i));
  const auto bob = Join("7", "bob");
  ASSERT_TRUE(RunTask(store_->Leave({"7", "ann", ann.standing.number, ann.epoch}, now_)).ok());
  for (int second = 0; second < 5; ++second) {
    now_ += Seconds{1};
    ASSERT_TRUE(RunTask(store_->Poll({"7", "bob", bob.standing.number, bob.epoch}, now_)).ok());
  }
  const auto polled = RunTask(store_->Poll({"7", "bob", bob.standing.number, bob.epoch}, now_));
  EXPECT_EQ(polled->standing.status, PlaceStatus::kReady);
  EXPECT_EQ(polled->standing.rank, 5U);
}

TEST_F(RedisRooms, SeatCountThatChangesIsShownByTheNextTick) {
  std::atomic<std::int64_t> seats{50};
  Store({.seats_left = [&](const RoomId&) { return std::optional<std::int64_t>(seats); }});
  store_->Tick(now_);
  test::AwaitCli(server_.port(), "GET seat:count:7", "50");
  for (int tick = 1; tick < 4; ++tick) {
    seats = 50 - tick;
    // Tick() does nothing while an earlier tick still runs.
    ASSERT_TRUE(test::Await([&] {
      store_->Tick(now_ + tick * Millis{50});
      return server_.Cli("GET seat:count:7") == std::to_string(50 - tick) + "\n";
    }));
  }
}

// Redis restarts with data in which bob has left; his token restores his place.
TEST_F(LostRooms, ScoreOfARestoredPlaceIsBetweenItsNeighbours) {
  Open(0);
  std::vector<PlaceRef> places;
  for (const char* user : {"ann", "bob", "cat"}) places.push_back(Join(user));
  const auto before = Scores(server_);
  ASSERT_TRUE(RunTask(store_->Leave(places[1], now_)).ok());
  server_.Cli("SAVE");
  server_.Restart();
  AwaitRedis();
  now_ += Seconds{1};
  ASSERT_TRUE(Poll(places[1]).ok());
  EXPECT_EQ(Scores(server_), before);
}

TEST_F(LostRooms, ScoresAfterAnEmptyRestartKeepTheOrderOfNumbers) {
  Open(0);
  std::vector<PlaceRef> places;
  for (int i = 0; i < 10; ++i) places.push_back(Join("fan" + std::to_string(i)));
  server_.Restart();
  AwaitRedis();
  now_ += Seconds{1};
  Join("late");
  for (const int i : {7, 2, 9, 0, 4, 1, 8, 3, 6, 5}) {
    ASSERT_TRUE(Poll(places[static_cast<std::size_t>(i)]).ok());
  }
  const auto scores = Scores(server_);
  ASSERT_EQ(scores.size(), 11U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(scores[i].first, "fan" + std::to_string(i));
  EXPECT_EQ(scores[10].first, "late");
  for (std::size_t i = 1; i < scores.size(); ++i) EXPECT_LT(scores[i - 1].second, scores[i].second);
}

}  // namespace
}  // namespace maejin::redis
