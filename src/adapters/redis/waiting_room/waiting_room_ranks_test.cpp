// A fan's rank does not rise, whichever node answers, during an outage of Redis and while a lost room is
// restored.
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/lost_rooms.h"

namespace maejin::redis {
namespace {

class RanksOfLostRooms : public LostRooms {
 protected:
  RanksOfLostRooms() { other_.emplace(client_, random_, log_, Options()); }

  void Come(int fans) {
    for (int i = 0; i < fans; ++i) places_.push_back(Join("fan" + std::to_string(i)));
  }
  void Go(WaitingRoomStore& node, int fans) {
    for (int i = 0; i < fans; ++i) {
      ASSERT_TRUE(RunTask(node.Leave(places_.front(), now_)).ok());
      places_.erase(places_.begin());
    }
  }
  std::optional<std::uint32_t> Hear(WaitingRoomStore& node, const PlaceRef& place) {
    const auto answer = RunTask(node.Poll(place, now_));
    EXPECT_TRUE(answer.ok());
    const auto rank = answer.ok() ? answer->standing.rank : std::nullopt;
    if (!rank) return {};
    const auto before = told_.try_emplace(place.number, *rank).first;
    if (*rank > before->second) ++rises_;
    before->second = *rank;
    return rank;
  }
  void HearAll(WaitingRoomStore& node) {
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) Hear(node, *place);
  }
  // The first node reported a rank to all fans. Then ten fans left through the other node, which reported
  // better ranks to the rest. Redis lost its data before the first node's mirror followed. `other_merges`:
  // the other node merges its mirror after the loss.
  void LoseAndFill(bool other_merges) {
    Open(0);
    ASSERT_TRUE(RunTask(other_->Read("7", now_)).ok());
    Come(20);
    HearAll(*store_);
    ASSERT_TRUE(RunTask(other_->Read("7", now_)).ok());
    Go(*other_, 10);
    HearAll(*other_);
    server_.Restart();
    AwaitRedis();
    for (int i = 0; i < 2; ++i) {
      if (other_merges) {
        Tick({&*store_, &*other_});
      } else {
        Tick({&*store_});
      }
    }
    now_ += Seconds{6};  // admission does not pause any more
    HearAll(*store_);
  }

  std::optional<WaitingRoomStore> other_;
  std::vector<PlaceRef> places_;
  std::map<PlaceNumber, std::uint32_t> told_;
  int rises_ = 0;
};

TEST_F(RanksOfLostRooms, RankDoesNotRiseWhileFansReturn) {
  Open(0);
  Come(30);
  Go(*store_, 10);  // so that ranks differ from numbers
  const auto last = places_.back();
  HearAll(*store_);
  server_.Kill();
  HearAll(*store_);
  EXPECT_EQ(told_[last.number], 19U);
  server_.Start();
  AwaitRedis();
  for (int round = 0; round < 2; ++round) HearAll(*store_);
  // The fans poll until all lost places are restored or have ended, and a little longer.
  for (int minute = 0; minute < 11; ++minute) {
    now_ += Seconds{60};
    HearAll(*store_);
  }
  EXPECT_EQ(Poll(last)->standing.rank, 19U);
  EXPECT_EQ(server_.Cli("ZRANK queue:7 fan29"), "19\n") << "counted, by now, not remembered";
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, OnlyNodeReportsRanksDuringAnOutage) {
  Open(0);
  Come(20);
  Go(*store_, 10);
  HearAll(*store_);
  server_.Kill();
  for (int round = 0; round < 3; ++round) {
    now_ += Seconds{1};
    for (std::size_t i = 0; i < places_.size(); ++i) EXPECT_EQ(Hear(*store_, places_[i]), i);
  }
  EXPECT_EQ(rises_, 0);
}

// The first node does not know which fans left through the other node, and nodes do not talk to each other.
TEST_F(RanksOfLostRooms, OneOfTwoNodesReportsNoRankDuringAnOutage) {
  Open(0);
  ASSERT_TRUE(RunTask(other_->Read("7", now_)).ok());
  Come(20);
  HearAll(*store_);
  Go(*other_, 10);
  HearAll(*other_);
  server_.Kill();
  now_ += Millis{300};
  for (const auto& place : places_) {
    for (auto* node : {&*store_, &*other_}) {
      const auto answer = RunTask(node->Poll(place, now_));
      ASSERT_TRUE(answer.ok());
      EXPECT_FALSE(answer->standing.rank);
      EXPECT_EQ(answer->standing.number, place.number);
      EXPECT_EQ(answer->state, RoomState::kPaused);
    }
  }
}

TEST_F(RanksOfLostRooms, StoppedNodeReportsNoRankDuringAnOutage) {
  Open(0);
  Come(20);
  HearAll(*store_);
  now_ += Seconds{60};  // the first node is stopped; the other starts meanwhile
  ASSERT_TRUE(RunTask(other_->Read("7", now_)).ok());
  Go(*other_, 10);
  HearAll(*other_);
  server_.Kill();
  now_ += Millis{300};
  for (const auto& place : places_) {
    EXPECT_FALSE(Hear(*store_, place));
    EXPECT_TRUE(Hear(*other_, place)) << "alone: the first node's lease has expired";
  }
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, NoRankIsReportedUntilAllNodesHaveMerged) {
  LoseAndFill(false);
  for (const auto& place : places_) EXPECT_FALSE(Hear(*store_, place));
  WaitingRoomStore late(client_, random_, log_, Options());
  for (const auto& place : places_) EXPECT_FALSE(Hear(late, place)) << "a new node has nothing to merge";
  Tick({&*other_, &*store_});
  for (std::size_t i = 0; i < places_.size(); ++i) {
    for (auto* node : {&*store_, &*other_, &late}) EXPECT_EQ(Hear(*node, places_[i]), i);
  }
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, RankDoesNotRiseAfterAChangeOfNode) {
  LoseAndFill(true);
  for (std::size_t i = 0; i < places_.size(); ++i)
    EXPECT_EQ(Hear(*store_, places_[i]), i) << "as the other told it";
  // A node that started after the loss.
  WaitingRoomStore late(client_, random_, log_, Options());
  ASSERT_TRUE(RunTask(store_->Configure("7", {.capacity = 3}, "tester", now_)).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Enter(places_[static_cast<std::size_t>(i)]));
  places_.erase(places_.begin(), places_.begin() + 3);
  now_ += Seconds{1};
  for (auto* node : {&*store_, &*other_, &late}) {
    for (std::size_t i = 0; i < places_.size(); ++i) EXPECT_EQ(Hear(*node, places_[i]), i);
  }
  for (int minute = 0; minute < 11; ++minute) {
    now_ += Seconds{60};
    HearAll(minute % 2 == 0 ? *other_ : *store_);
  }
  EXPECT_EQ(server_.Cli("ZRANK queue:7 fan19"), "6\n");
  EXPECT_EQ(told_[places_.back().number], 6U);
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, RankDoesNotRiseWhileHalfTheLineIsMissing) {
  LoseAndFill(true);
  const std::vector<PlaceRef> half(places_.begin() + 5, places_.end());
  WaitingRoomStore late(client_, random_, log_, Options());
  for (std::size_t i = 0; i < half.size(); ++i) EXPECT_EQ(Hear(late, half[i]), i + 5);
  const auto newcomer = Join("newcomer");
  EXPECT_EQ(Hear(*store_, newcomer), 10U) << "behind all who may come back";
  HearAll(late);
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, ControlRanksRiseWithoutTheOtherMirror) {
  LoseAndFill(false);
  now_ += RoomRecord::kMergeWait;  // the first node no longer waits for the other
  HearAll(*store_);
  EXPECT_EQ(rises_, 10) << "so the tests above can fail";
}

// Two fans enter before three absent fans in front of them. The ranks of the absent fans stay the same.
TEST_F(RanksOfLostRooms, RankOfAnOvertakenFanDoesNotRise) {
  LoseAndFill(true);
  ASSERT_TRUE(RunTask(store_->Configure("7", {.capacity = 2}, "tester", now_)).ok());
  const std::vector<PlaceRef> absent(places_.begin(), places_.begin() + 3);
  for (int second = 0; second < 4; ++second) {
    now_ += Seconds{1};
    for (std::size_t i = 3; i < places_.size(); ++i) Hear(*store_, places_[i]);
  }
  ASSERT_TRUE(Enter(places_[3]));
  ASSERT_TRUE(Enter(places_[4]));
  EXPECT_EQ(Hear(*store_, places_[5]), 3U);
  for (std::size_t i = 0; i < absent.size(); ++i) EXPECT_EQ(Hear(*store_, absent[i]), i);
  for (int minute = 0; minute < 11; ++minute) {
    now_ += Seconds{60};
    for (const auto& place : absent) Hear(*store_, place);
  }
  EXPECT_EQ(Hear(*store_, absent[2]), 2U);
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, RankDoesNotRiseAfterASecondLoss) {
  LoseAndFill(true);
  ASSERT_TRUE(RunTask(store_->Configure("7", {.capacity = 4}, "tester", now_)).ok());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Enter(places_[static_cast<std::size_t>(i)]));
  places_.erase(places_.begin(), places_.begin() + 4);
  now_ += Seconds{1};
  HearAll(*other_);
  server_.Restart();
  AwaitRedis();
  for (int i = 0; i < 20; ++i) {
    Tick({&*store_, &*other_});
    HearAll(i % 2 == 0 ? *store_ : *other_);
  }
  EXPECT_EQ(Hear(*store_, places_.back()), 5U);
  EXPECT_EQ(rises_, 0);
}

}  // namespace
}  // namespace maejin::redis
