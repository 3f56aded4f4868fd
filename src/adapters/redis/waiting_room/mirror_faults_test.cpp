// A room's change log is damaged in Redis. The node that follows it detects the damage and reports the right
// ranks.
#include <gtest/gtest.h>

#include "tests/support/redis_rooms.h"

namespace maejin::redis {
namespace {

class SpoiltLog : public RedisRooms {
 protected:
  // Ten fans wait. The other node's mirror has seen them; then three leave, one after the other.
  void SetUp() override {
    auto& store = Store();
    Set("7", {.capacity = 0});
    for (PlaceNumber i = 0; i < 10; ++i) epoch_ = Join("7", FanName(i)).epoch;
    ASSERT_TRUE(RunTask(other_.Read("7", now_)).ok());
    for (const PlaceNumber fan : {1U, 3U, 5U})
      ASSERT_TRUE(RunTask(store.Leave({"7", FanName(fan)}, now_)).ok());
  }
  std::string Entry(int from_the_end) const {
    auto entry = server_.Cli("LINDEX room:7:changes -" + std::to_string(from_the_end));
    entry.pop_back();
    return entry;
  }
  void Write(int from_the_end, const std::string& entry) const {
    server_.Cli("LSET room:7:changes -" + std::to_string(from_the_end) + " '" + entry + "'");
  }
  void ExpectRightRanks() {
    now_ += Seconds{1};
    const std::uint32_t ranks[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 6};
    for (const PlaceNumber fan : {0U, 2U, 4U, 6U, 7U, 8U, 9U}) {
      const auto answer = RunTask(other_.Poll({"7", FanName(fan), fan + 1, epoch_}, now_));
      ASSERT_TRUE(answer.ok());
      EXPECT_EQ(answer->standing.rank, ranks[fan]) << fan;
    }
    EXPECT_TRUE(other_.PollAtOnce({"7", "fan9", 10, epoch_}, now_)) << "by the mirror";
  }

  WaitingRoomStore other_{client_, random_, log_, {}};
  std::uint32_t epoch_ = 0;
};

TEST_F(SpoiltLog, ControlIntactLogIsFollowed) {
  server_.Cli("CONFIG RESETSTAT");
  ExpectRightRanks();
  EXPECT_EQ(server_.Calls("bitcount"), 0) << "the room was not read again";
}

TEST_F(SpoiltLog, MissingEntryIsFound) {
  server_.Cli("LREM room:7:changes 1 '" + Entry(2) + "'");
  server_.Cli("CONFIG RESETSTAT");
  ExpectRightRanks();
  EXPECT_GT(server_.Calls("bitcount"), 0) << "the room was read again";
}

TEST_F(SpoiltLog, RepeatedEntryIsFound) {
  server_.Cli("RPUSH room:7:changes '" + Entry(1) + "'");
  ExpectRightRanks();
}

TEST_F(SpoiltLog, EntriesOutOfOrderAreFound) {
  const auto newest = Entry(1);
  const auto second = Entry(2);
  Write(1, second);
  Write(2, newest);
  ExpectRightRanks();
}

TEST_F(SpoiltLog, EmptyLogIsFound) {
  server_.Cli("DEL room:7:changes");
  ExpectRightRanks();
}

// A bug in a script could write such an entry: its number is right, its place is wrong.
TEST_F(SpoiltLog, EntryOfAnotherPlaceIsFound) {
  auto entry = Entry(2);
  entry.replace(entry.rfind(' '), std::string::npos, " L8");
  Write(2, entry);
  ExpectRightRanks();
}

TEST_F(SpoiltLog, EntryWithoutItsChangeIsFound) {
  auto entry = Entry(1);
  Write(1, entry.substr(0, entry.rfind(' ')));
  ExpectRightRanks();
}

TEST_F(SpoiltLog, BitmapThatDoesNotFitTheQueueIsMadeAnew) {
  server_.Cli("SETBIT room:7:line 8 0");
  server_.Cli("DEL room:7:changes");
  ExpectRightRanks();
  EXPECT_EQ(server_.Cli("BITCOUNT room:7:line"), "7\n");
}

}  // namespace
}  // namespace maejin::redis
