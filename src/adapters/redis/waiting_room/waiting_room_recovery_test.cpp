// Redis loses all data, or the newest data. Places, slots and reported ranks are kept.
#include <chrono>

#include <gtest/gtest.h>

#include "tests/support/admissions.h"
#include "tests/support/lost_rooms.h"

namespace maejin::redis {
namespace {

TEST_F(LostRooms, ExpiredAdmissionsAreDeletedFromTheDatabase) {
  Open(1);
  const auto ann = UseUp("ann");
  const auto remembered = [&] { return FindAdmission(log_, "7", "ann", ann.number).has_value(); };
  ASSERT_TRUE(remembered());
  now_ += std::chrono::hours{25};
  TickUntil([&] { return !remembered(); });
}

TEST_F(LostRooms, UsedTokenStaysUsedAfterALoss) {
  Open(1);
  const auto ann = UseUp("ann");
  server_.Cli("FLUSHALL");
  EXPECT_EQ(Poll(ann).error(), Refusal::kNotQueued);
  EXPECT_EQ(RunTask(store_->Enter(ann, now_)).error(), Refusal::kNotQueued);
}

// The database keeps the number of an admission for as long as its token could return.
TEST_F(LostRooms, UsedTokenStaysUsedAfterItsAdmissionIsPruned) {
  Open(1);
  const auto ann = UseUp("ann");
  now_ += std::chrono::hours{25};
  TickUntil([&] { return !FindAdmission(log_, "7", "ann", ann.number); });
  const auto bob = Join("bob");
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(bob).ok());
  EXPECT_EQ(Poll(ann).error(), Refusal::kNotQueued);
  now_ += Seconds{6};
  EXPECT_EQ(RunTask(store_->Enter(ann, now_)).error(), Refusal::kNotQueued);
  EXPECT_TRUE(Enter(bob)) << "she is first";
  server_.Kill();
  EXPECT_EQ(Poll(ann).error(), Refusal::kNotQueued) << "while Redis is away";
}

// A token has the epoch of its join for as long as the place waits.
TEST_F(LostRooms, WaiterIsRestoredAfterTwoLosses) {
  Open(0);
  const auto ann = Join("ann");
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(Join("bob")).ok());  // the first loss is detected, and ann does not poll
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(Join("cat")).ok());
  EXPECT_EQ(Poll(ann)->standing.number, ann.number);
  server_.Cli("FLUSHALL");
  EXPECT_EQ(Poll(ann)->standing.number, ann.number) << "with the same token";
}

TEST_F(LostRooms, OlderPlaceOfAFanWithANewerOneIsNotRestored) {
  Open(1);
  const auto ann = Join("ann");
  ASSERT_TRUE(Enter(ann));
  log_.Refuse(true);  // the end is not recorded
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  log_.Refuse(false);
  const auto again = Join("ann");
  const auto bob = Join("bob");
  server_.Cli("FLUSHALL");
  EXPECT_EQ(Poll(again)->standing.status, PlaceStatus::kWaiting);
  ASSERT_TRUE(Poll(bob).ok());
  now_ += Seconds{6};
  ASSERT_TRUE(Poll(again).ok());
  EXPECT_FALSE(Enter(bob));
  EXPECT_TRUE(Enter(again)) << "the slot was free";
}

TEST_F(LostRooms, EndedAdmissionIsNotRestoredBesideItsSuccessor) {
  Open(1);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  ASSERT_TRUE(Enter(ann));
  // ann does not poll any more and her slot expires: only the room's log has its end.
  now_ += Seconds{300};
  ASSERT_TRUE(Poll(bob).ok());
  ASSERT_TRUE(Enter(bob));
  server_.Cli("FLUSHALL");
  EXPECT_EQ(Poll(bob)->standing.status, PlaceStatus::kEntered);
  EXPECT_EQ(RunTask(store_->ReadServing("7", now_))->entered, 1U);
  EXPECT_EQ(RunTask(store_->Enter(ann, now_)).error(), Refusal::kNotQueued);
  server_.Kill();
  EXPECT_EQ(RunTask(store_->CheckInside(ann, now_)).error(), Refusal::kNotQueued) << "while Redis is away";
  EXPECT_TRUE(RunTask(store_->CheckInside(bob, now_)).ok());
}

// Redis executes a command long after its sender has timed out.
TEST_F(LostRooms, LateLeaveDoesNotEndANewerPlace) {
  Open(1);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  ASSERT_TRUE(Enter(ann));
  const auto asked = now_;
  now_ += Seconds{2};
  ASSERT_TRUE(Enter(ann)) << "she stays, since her leaving was not acknowledged";
  EXPECT_EQ(RunTask(store_->Leave(ann, asked)).error(), Refusal::kUnavailable);
  ASSERT_TRUE(Poll(bob).ok());
  EXPECT_FALSE(Enter(bob)) << "there is one slot, and it is ann's";
  EXPECT_TRUE(RunTask(store_->CheckInside(ann, now_)).ok());
}

// The node that sent the join has timed out, so no fan has the token of the place.
TEST_F(LostRooms, LateJoinIsSkippedAndEnds) {
  Open(1);
  const auto ann = Join("ann");
  ASSERT_TRUE(Enter(ann));
  auto address = ParseAddress(server_.Url()).value();
  address.timeout = Millis{1000};
  Client impatient{address};
  WaitingRoomStore elsewhere(impatient, random_, log_, Options());
  const auto came = [&] { return server_.Cli("ZRANGE queue:7 0 -1") == "ghost\n"; };
  // The join is repeated if the connection was not open and nothing was sent.
  for (int attempt = 0; attempt < 10 && !came(); ++attempt) {
    ASSERT_TRUE(test::Await([&] { return RunTask(elsewhere.Read("7", now_)).ok(); }));
    server_.Pause();
    EXPECT_EQ(RunTask(elsewhere.Join({"7", "ghost"}, now_)).error(), Refusal::kUnavailable);
    server_.Resume();
    AwaitRedis();
  }
  ASSERT_TRUE(came());
  const auto bob = Join("bob");
  EXPECT_EQ(Poll(bob)->standing.rank, 1U) << "as behind anybody";
  EXPECT_EQ(RunTask(store_->ReadServing("7", now_))->entered, 1U) << "it takes no slot";
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  now_ += Millis{2999};
  EXPECT_FALSE(Enter(bob)) << "who joined a moment ago is waited for";
  now_ += Millis{1};
  EXPECT_TRUE(Enter(bob)) << "who missed three polls is not";
  const auto kept = [&] { return server_.Cli("HEXISTS room:7:places ghost") == "1\n"; };
  now_ = kStart + DefaultSettings("7").grace - Millis{1};
  ASSERT_TRUE(RunTask(store_->Read("7", now_)).ok());
  EXPECT_TRUE(kept()) << "it is the fan's, should it come back";
  now_ += Millis{1};
  ASSERT_TRUE(RunTask(store_->Read("7", now_)).ok());
  EXPECT_FALSE(kept());
  EXPECT_EQ(server_.Cli("EXISTS queue:7"), "0\n");
}

TEST_F(LostRooms, LeaveOvertakenByAPollEndsThePlace) {
  Open(1);
  const auto ann = Join("ann");
  ASSERT_TRUE(Enter(ann));
  const auto asked = now_;
  now_ += Millis{20};
  ASSERT_TRUE(Poll(ann).ok());
  ASSERT_TRUE(RunTask(store_->Leave(ann, asked)).ok());
  EXPECT_EQ(Poll(ann).error(), Refusal::kNotQueued);
}

TEST_F(LostRooms, ControlUsedTokenIsAcceptedWithoutTheDatabase) {
  Open(1);
  const auto ann = Join("ann");
  ASSERT_TRUE(Enter(ann));
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  server_.Cli("FLUSHALL");
  log_.Lose();
  EXPECT_TRUE(Poll(ann).ok()) << "so the test above can fail";
}

TEST_F(LostRooms, FansInsideAreRestoredAndTheCapacityHolds) {
  Open(1);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  ASSERT_TRUE(Enter(ann));
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(bob).ok());
  now_ += Seconds{6};
  EXPECT_FALSE(Enter(bob)) << "the only slot is ann's";
  EXPECT_TRUE(RunTask(store_->CheckInside(ann, now_)).ok());
  EXPECT_EQ(RunTask(store_->ReadServing("7", now_))->entered, 1U);
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  EXPECT_TRUE(Enter(bob));
}

TEST_F(LostRooms, FanInsideStaysInsideDuringAnOutage) {
  Open(1);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  ASSERT_TRUE(Enter(ann));
  server_.Kill();
  EXPECT_TRUE(RunTask(store_->CheckInside(ann, now_)).ok());
  EXPECT_EQ(Poll(ann)->standing.status, PlaceStatus::kEntered);
  EXPECT_EQ(RunTask(store_->CheckInside(bob, now_)).error(), Refusal::kNotYourTurn);
  EXPECT_EQ(RunTask(store_->Join({"7", "late"}, now_)).error(), Refusal::kUnavailable);
}

TEST_F(LostRooms, NewestPlacesAreRestoredAfterARestartWithOlderData) {
  Open(1);
  const auto ann = Join("ann");
  server_.Cli("SAVE");
  const auto bob = Join("bob");
  const auto cat = Join("cat");
  ASSERT_TRUE(Enter(ann));
  server_.Restart();
  now_ += Seconds{1};
  AwaitRedis();
  const auto late = RunTask(store_->Join({"7", "late"}, now_)).value();
  EXPECT_GT(late.epoch, ann.epoch);
  EXPECT_GT(late.standing.number, 1'000'000U) << "no number is given twice";
  EXPECT_EQ(Poll(cat)->standing.number, 3U);
  EXPECT_EQ(Poll(bob)->standing.number, 2U);
  now_ += Seconds{6};
  EXPECT_FALSE(Enter(bob)) << "ann is inside, though Redis had forgotten it";
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  EXPECT_FALSE(Enter(cat));
  EXPECT_TRUE(Enter(bob));
}

TEST_F(LostRooms, TokenShowsTheLossToANewNode) {
  Open(1);
  Join("ann");
  server_.Cli("SAVE");
  ASSERT_TRUE(RunTask(store_->Read("7", now_)).ok());
  std::optional<WaitingRoomStore> other;
  other.emplace(client_, random_, log_, WaitingRoomStoreOptions{});
  ASSERT_TRUE(RunTask(other->Read("7", now_)).ok());
  const auto bob = Join("bob");  // the other node does not know of this join
  server_.Restart();
  AwaitRedis();
  const auto answer = RunTask(other->Poll(bob, now_));
  ASSERT_TRUE(answer.ok()) << "it is no place that has ended, it is one that Redis has forgotten";
  EXPECT_EQ(answer->standing.number, bob.number);
  EXPECT_GT(answer->epoch, bob.epoch);
}

TEST_F(LostRooms, RoomSettingsAreRestoredFromTheDatabase) {
  Open(3);
  Join("ann");
  TickUntil([&] { return log_.rooms() == 1; });
  const auto before = RunTask(store_->Read("7", now_)).value();
  server_.Cli("FLUSHALL");
  Node();
  const auto after = RunTask(store_->Read("7", now_));
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->settings, before.settings);
  EXPECT_GT(after->epoch, before.epoch);
  EXPECT_GT(after->last_number, before.last_number);
}

TEST_F(LostRooms, OrderOfADrawIsKeptAfterALoss) {
  ASSERT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
  const auto set = [&](RoomPatch patch) {
    ASSERT_TRUE(RunTask(store_->Configure("7", std::move(patch), "tester", now_)).ok());
  };
  set({.capacity = 0, .state = RoomState::kClosed});
  set({.state = RoomState::kScheduled});
  set({.state = RoomState::kPreQueue});
  std::vector<PlaceRef> places;
  for (int i = 0; i < 20; ++i) places.push_back(Join("fan" + std::to_string(i)));
  set({.state = RoomState::kOpen});
  std::vector<std::uint32_t> before;
  for (const auto& place : places) before.push_back(*Poll(place)->standing.rank);
  server_.Cli("FLUSHALL");
  now_ += Seconds{1};
  for (const auto& place : places) ASSERT_TRUE(Poll(place).ok());
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(Poll(places[i])->standing.rank, before[i]);
  EXPECT_EQ(server_.Cli("ZRANK queue:7 fan3"), std::to_string(before[3]) + "\n");
}

TEST_F(LostRooms, EntryIsRefusedWhileTheDatabaseDoesNotAnswer) {
  Open(2);
  const auto ann = Join("ann");
  log_.Refuse(true);
  EXPECT_EQ(RunTask(store_->Enter(ann, now_)).error(), Refusal::kUnavailable);
  EXPECT_EQ(RunTask(store_->Enter(ann, now_)).error(), Refusal::kUnavailable)
      << "not at the second attempt either";
  log_.Refuse(false);
  TickUntil([&] { return Enter(ann); });
  EXPECT_TRUE(FindAdmission(log_, "7", "ann", ann.number).has_value());
}

TEST_F(LostRooms, NodeAdmitsAgainAfterTheDatabaseAlthoughAnotherNodeRecordedItsEntries) {
  Open(2);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  std::optional<WaitingRoomStore> other;
  other.emplace(client_, random_, log_, WaitingRoomStoreOptions{});
  log_.Refuse(true);
  EXPECT_EQ(RunTask(other->Enter(ann, now_)).error(), Refusal::kUnavailable);
  log_.Refuse(false);
  TickUntil([&] { return FindAdmission(log_, "7", "ann", ann.number).has_value(); });
  test::AwaitCli(server_.port(), "LLEN room:7:log", "0");  // nothing is left that the other node could record
  const auto admits = [&] { return RunTask(other->Enter(bob, now_)).ok(); };
  for (int i = 0; i < 10 && !admits(); ++i) Tick({&*other});
  EXPECT_TRUE(admits());
}

TEST_F(LostRooms, LossIsNoticedAlthoughANewNodeReadTheRoomFirst) {
  Open(0);
  Join("ann");
  std::optional<WaitingRoomStore> other;
  other.emplace(client_, random_, log_, WaitingRoomStoreOptions{});
  ASSERT_TRUE(RunTask(other->Read("7", now_)).ok());
  server_.Cli("SAVE");
  const auto bob = Join("bob");  // the other node does not know of this join
  server_.Restart();
  AwaitRedis();
  for (const auto* user : {"cat", "dan", "eve"}) {
    EXPECT_GT(RunTask(other->Join({"7", user}, now_))->standing.number, 1'000'000U)
        << "bob's is not given twice";
  }
  ASSERT_TRUE(Poll(bob).ok());
  EXPECT_EQ(Poll(bob)->standing.number, bob.number);
}

TEST_F(LostRooms, NewerTokenReplacesThePlaceOfOlderData) {
  Open(0);
  const auto ann = Join("ann");
  server_.Cli("SAVE");
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  const auto again = Join("ann");
  server_.Restart();
  AwaitRedis();
  ASSERT_TRUE(Poll(again).ok());
  EXPECT_EQ(Poll(again)->standing.number, again.number);
}

TEST_F(LostRooms, UsedPlaceOfOlderDataIsRefused) {
  Open(1);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  server_.Cli("SAVE");
  for (const auto& place : {ann, bob}) {
    ASSERT_TRUE(Enter(place));
    ASSERT_TRUE(RunTask(store_->Leave(place, now_)).ok());
  }
  server_.Restart();
  AwaitRedis();
  EXPECT_GT(Join("ann").number, 1'000'000U);
  now_ += Seconds{6};
  EXPECT_EQ(RunTask(store_->Enter(bob, now_)).error(), Refusal::kNotQueued);
  EXPECT_EQ(RunTask(store_->ReadServing("7", now_))->entered, 0U);
}

TEST_F(LostRooms, EndedSlotOfOlderDataIsRemoved) {
  Open(1);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  ASSERT_TRUE(Enter(ann));
  server_.Cli("SAVE");
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  server_.Restart();
  AwaitRedis();
  ASSERT_TRUE(Poll(bob).ok());
  now_ += Seconds{6};
  EXPECT_TRUE(Enter(bob));
}

TEST_F(LostRooms, LeaveOfALostPlaceEndsIt) {
  Open(1);
  const auto bob = Join("bob");
  server_.Cli("SAVE");
  const auto ann = Join("ann");
  ASSERT_TRUE(RunTask(store_->Leave(bob, now_)).ok());
  ASSERT_TRUE(Enter(ann));
  server_.Restart();
  AwaitRedis();
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  EXPECT_EQ(log_.ended(), 1U);
  EXPECT_EQ(RunTask(store_->ReadServing("7", now_))->entered, 0U);
}

TEST_F(LostRooms, NewerTokenOfAFanGetsItsRestoredOlderPlace) {
  Open(0);
  const auto ann = Join("ann");
  server_.Cli("FLUSHALL");
  const auto anew = Join("ann");
  ASSERT_GT(anew.number, ann.number);
  ASSERT_TRUE(Poll(ann).ok());
  ASSERT_TRUE(Poll(anew).ok());
  EXPECT_EQ(Poll(anew)->standing.number, ann.number);
}

TEST_F(LostRooms, ReplacedRedisAdmitsNoFan) {
  Open(1);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  server_.Cli("CONFIG SET repl-diskless-sync-delay 0");
  const test::RedisServer successor({"--replicaof", "127.0.0.1 " + std::to_string(server_.port())});
  test::AwaitCli(successor.port(), "INFO replication", "master_link_status:up");
  successor.Cli("REPLICAOF NO ONE");
  Client client{ParseAddress(successor.Url()).value()};
  WaitingRoomStore elsewhere(client, random_, log_, WaitingRoomStoreOptions{});
  ASSERT_TRUE(RunTask(elsewhere.Poll(bob, now_)).ok());
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_EQ(RunTask(store_->Enter(ann, now_)).error(), Refusal::kUnavailable)
        << "the database knows better";
  EXPECT_EQ(Poll(ann)->standing.status, PlaceStatus::kWaiting);
  now_ += Seconds{6};
  ASSERT_TRUE(RunTask(elsewhere.Poll(ann, now_)).ok());
  EXPECT_TRUE(RunTask(elsewhere.Enter(ann, now_)).ok());
  // The Redis that should replace the old one is never found. The old one continues, with the fans inside
  // that the database records.
  now_ += Seconds{16};
  ASSERT_TRUE(Poll(bob).ok());
  now_ += Seconds{6};
  EXPECT_FALSE(Enter(bob)) << "ann is inside";
  EXPECT_TRUE(RunTask(store_->CheckInside(ann, now_)).ok());
  EXPECT_EQ(RunTask(elsewhere.Enter(bob, now_)).error(), Refusal::kNotYourTurn) << "full here too";
}

// The mirror answers the fan's polls. Redis learns the shorter interval when the node writes the poll.
TEST_F(LostRooms, FanThatMovedUpIsAbsentAfterItsShorterInterval) {
  Open(0);
  std::vector<PlaceRef> places;
  for (int i = 0; i < 60; ++i) places.push_back(Join("fan" + std::to_string(i)));
  const auto& last = places[59];
  EXPECT_GT(Poll(last)->standing.poll_after, Millis{1000}) << "far from the front: every two seconds";
  for (std::size_t i = 0; i < 20; ++i) ASSERT_TRUE(RunTask(store_->Leave(places[i], now_)).ok());
  EXPECT_LE(Poll(last)->standing.poll_after, Millis{1000}) << "near the front: every second";
  const auto counted = [&] { return server_.Cli("ZSCORE room:7:skipped fan59") == "\n"; };
  Tick({&*store_});  // the node writes the poll to Redis
  now_ += Millis{1999};
  ASSERT_TRUE(RunTask(store_->Read("7", now_)).ok());
  EXPECT_TRUE(counted());
  now_ += Millis{1};
  ASSERT_TRUE(RunTask(store_->Read("7", now_)).ok());
  EXPECT_FALSE(counted()) << "three polls of a second were missed, not three of two";
}

}  // namespace
}  // namespace maejin::redis
