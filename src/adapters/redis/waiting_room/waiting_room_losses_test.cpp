// Redis loses data, or is unavailable, while many fans poll at once.
#include <gtest/gtest.h>

#include "tests/support/lost_rooms.h"

namespace maejin::redis {
namespace {

// A fan uses two browser tabs at once.
TEST_F(LostRooms, PlaceAskedForTwiceAtOnceIsRestoredOnce) {
  Open(0);
  const auto ann = Join("ann");
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(Join("bob")).ok());  // the loss has been noticed
  const auto told = AllAtOnce(2, [&](auto) { return store_->CheckInside(ann, now_); });
  for (const auto& each : told) EXPECT_EQ(each->error(), Refusal::kNotYourTurn) << "she waits";
}

TEST_F(LostRooms, ManyReturningFansAreRestoredInOneBatch) {
  Open(2);
  std::vector<PlaceRef> fans;
  for (PlaceNumber i = 0; i < 50; ++i) fans.push_back(Join(FanName(i)));
  ASSERT_TRUE(Enter(fans[0]));
  ASSERT_TRUE(Enter(fans[1]));
  ASSERT_TRUE(RunTask(store_->Leave(fans[1], now_)).ok());
  TickUntil([&] { return log_.ended() == 1; });
  server_.Cli("FLUSHALL");
  EXPECT_EQ(Poll(fans[0])->standing.status, PlaceStatus::kEntered);  // the loss is detected
  EXPECT_EQ(Poll(fans[1]).error(), Refusal::kNotQueued) << "she has left";
  ASSERT_EQ(server_.Cli("ZCARD queue:7"), "0\n");
  server_.Cli("CONFIG RESETSTAT");
  const auto told = AllAtOnce(48, [&](auto i) { return store_->Poll(fans[i + 2], now_); });
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ((*told[i])->standing.number, i + 3);
  EXPECT_LT(server_.Calls("evalsha"), 3 * kFewBatches) << "three scripts a batch";
  EXPECT_EQ(server_.Cli("ZRANGE queue:7 0 1"), "fan2\nfan3\n");
}

// During an outage fans inside are still served, and all waiting fans poll repeatedly.
TEST_F(LostRooms, PollsDuringAnOutageShareDatabaseReads) {
  Open(1);
  std::vector<PlaceRef> fans;
  for (PlaceNumber i = 0; i < 50; ++i) fans.push_back(Join(FanName(i)));
  ASSERT_TRUE(Enter(fans[0]));
  server_.Kill();
  now_ += Millis{300};
  const auto asked_before = log_.asked();
  const auto told = AllAtOnce(50, [&](auto i) { return store_->Poll(fans[i], now_); });
  EXPECT_EQ((*told[0])->standing.status, PlaceStatus::kEntered);
  for (std::size_t i = 1; i < fans.size(); ++i) EXPECT_EQ((*told[i])->standing.rank, i - 1);
  EXPECT_LT(log_.asked() - asked_before, kFewBatches);
}

// After a loss the database decides whether a place was used: the data in Redis may be older than the use.
TEST_F(LostRooms, EntriesAfterALossShareDatabaseReads) {
  Open(60);
  std::vector<PlaceRef> fans;
  for (PlaceNumber i = 0; i < 50; ++i) fans.push_back(Join(FanName(i)));
  server_.Cli("SAVE");
  ASSERT_TRUE(Enter(fans[0]));
  ASSERT_TRUE(RunTask(store_->Leave(fans[0], now_)).ok());
  server_.Restart();
  AwaitRedis();
  ASSERT_TRUE(Poll(fans[1]).ok());  // the loss is detected
  now_ += Seconds{6};               // and admission does not pause any more
  const auto asked_before = log_.asked();
  const auto told = AllAtOnce(50, [&](auto i) { return store_->Enter(fans[i], now_); });
  EXPECT_EQ(told[0]->error(), Refusal::kNotQueued) << "he was inside, and left";
  for (std::size_t i = 1; i < fans.size(); ++i) EXPECT_TRUE(told[i]->ok()) << i;
  EXPECT_LT(log_.asked() - asked_before, kFewBatches);
}

// Redis has the place, so the node need not read the database.
TEST_F(LostRooms, PollOfAPresentPlaceNeedsNoDatabase) {
  Open(1);
  const auto ann = Join("ann");
  ASSERT_TRUE(Enter(ann));
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(Join("bob")).ok());  // the loss has been noticed, and ann is inside again
  ASSERT_EQ(server_.Cli("ZCARD room:7:slots"), "1\n");
  log_.Refuse(true);
  now_ += Seconds{200};
  const auto told = Poll(ann);
  ASSERT_TRUE(told.ok()) << "Redis knows her";
  EXPECT_EQ(told->standing.status, PlaceStatus::kEntered);
  now_ += Seconds{200};
  EXPECT_TRUE(RunTask(store_->ReadServing("7", now_)).ok());
  EXPECT_EQ(server_.Cli("ZCARD room:7:slots"), "1\n") << "she was heard of 200 seconds ago";
}

TEST_F(LostRooms, PresentPlaceIsNotRestoredAgain) {
  Open(1);
  const auto ann = Join("ann");
  ASSERT_TRUE(Enter(ann));
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(Join("bob")).ok());
  ASSERT_TRUE(Poll(ann).ok());
  server_.Cli("CONFIG RESETSTAT");
  ASSERT_TRUE(Poll(ann).ok());
  EXPECT_LE(server_.Calls("evalsha"), 2) << "the common one, and her own";
}

}  // namespace
}  // namespace maejin::redis
