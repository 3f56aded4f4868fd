// A fan's rank never rises, whichever node it asks, while Redis is away and while a room that was lost fills again.
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/lost_rooms.h"

namespace maejin::redis {
namespace {

class RanksOfLostRooms : public LostRooms {
 protected:
  RanksOfLostRooms() { other_.emplace(client_, random_, Options()); }

  void Come(int fans) {
    for (int i = 0; i < fans; ++i) places_.push_back(Join("fan" + std::to_string(i)));
  }
  void Go(int fans) {
    for (int i = 0; i < fans; ++i) {
      ASSERT_TRUE(RunTask(store_->Leave(places_.front(), now_)).ok());
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
  // Everybody has been told a rank by the first node, and, when ten had left, a better one by the other. Then all is lost,
  // and everybody asks the first again.
  void LoseAndFill(bool other_tells) {
    Open(0);
    ASSERT_TRUE(RunTask(other_->Read("7", now_)).ok());
    Come(20);
    HearAll(*store_);
    Go(10);
    now_ += Seconds{5};
    HearAll(*other_);
    server_.Restart();
    AwaitRedis();
    HearAll(*store_);
    for (int i = 0; i < 200 && !Hear(*store_, places_.back()); ++i) {
      if (other_tells) {
        Tick({&*store_, &*other_});
      } else {
        Tick({&*store_});
      }
    }
    HearAll(*store_);
  }

  std::optional<WaitingRoomStore> other_;
  std::vector<PlaceRef> places_;
  std::map<PlaceNumber, std::uint32_t> told_;
  int rises_ = 0;
};

TEST_F(RanksOfLostRooms, NeverRiseHoweverFansComeBack) {
  Open(0);
  Come(30);
  Go(10);  // a number is no rank
  const auto last = places_.back();
  HearAll(*store_);
  server_.Kill();
  HearAll(*store_);
  EXPECT_EQ(told_[last.number], 19U);
  server_.Start();
  AwaitRedis();
  for (int round = 0; round < 2; ++round) HearAll(*store_);
  // Until all who may come back have come back, and a little longer.
  for (int minute = 0; minute < 11; ++minute) {
    now_ += Seconds{60};
    HearAll(*store_);
  }
  EXPECT_EQ(Poll(last)->standing.rank, 19U);
  EXPECT_EQ(server_.Cli("ZRANK queue:7 fan29"), "19\n") << "counted, by now, not remembered";
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, WhileRedisIsAwayAreToldByWhoToldThemLast) {
  Open(0);
  ASSERT_TRUE(RunTask(other_->Read("7", now_)).ok());
  Come(20);
  Go(10);
  now_ += Seconds{5};
  HearAll(*other_);
  server_.Kill();
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      EXPECT_FALSE(Hear(*store_, places_[i])) << "another may have told it a better one";
      EXPECT_EQ(Hear(*other_, places_[i]), i);
    }
    now_ += Seconds{5};
  }
  now_ += Seconds{5};
  EXPECT_FALSE(Hear(*other_, places_[0])) << "it may have asked elsewhere meanwhile";
}

TEST_F(RanksOfLostRooms, DoNotRiseForAFanWhoChangesNodes) {
  LoseAndFill(true);
  for (std::size_t i = 0; i < places_.size(); ++i)
    EXPECT_EQ(Hear(*store_, places_[i]), i) << "as the other told it, though only a part has come back";
  // A node that knew nothing of all this.
  WaitingRoomStore late(client_, random_, Options());
  for (int i = 0; i < 200 && !Hear(late, places_.back()); ++i) Tick({&late});
  ASSERT_TRUE(RunTask(store_->Configure("7", {.capacity = 3}, "tester", now_)).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Enter(places_[static_cast<std::size_t>(i)]));
  places_.erase(places_.begin(), places_.begin() + 3);
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

TEST_F(RanksOfLostRooms, WouldRiseWhereANodeKeptToItselfWhatItTold) {
  LoseAndFill(false);
  EXPECT_EQ(rises_, 10) << "so the test above can fail";
}

// Who is let in behind an absent fan is not one less before it.
TEST_F(RanksOfLostRooms, DoNotRiseForAFanWhomOthersOvertook) {
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
  for (const auto& place : absent)
    EXPECT_FALSE(Hear(*store_, place)) << "nobody knows, until all have come back";
  for (int minute = 0; minute < 11; ++minute) {
    now_ += Seconds{60};
    for (const auto& place : absent) Hear(*store_, place);
  }
  EXPECT_EQ(Hear(*store_, absent[2]), 2U);
  EXPECT_EQ(rises_, 0);
}

TEST_F(RanksOfLostRooms, DoNotRiseWhenTheRoomIsLostOnceMore) {
  LoseAndFill(true);
  ASSERT_TRUE(RunTask(store_->Configure("7", {.capacity = 4}, "tester", now_)).ok());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Enter(places_[static_cast<std::size_t>(i)]));
  places_.erase(places_.begin(), places_.begin() + 4);
  now_ += Seconds{1};
  HearAll(*other_);
  server_.Restart();
  AwaitRedis();
  now_ += Seconds{1};
  HearAll(*store_);
  for (int i = 0; i < 20; ++i) {
    Tick({&*store_, &*other_});
    HearAll(*store_);
  }
  EXPECT_EQ(Hear(*store_, places_.back()), 5U);
  EXPECT_EQ(rises_, 0);
}

}  // namespace
}  // namespace maejin::redis
