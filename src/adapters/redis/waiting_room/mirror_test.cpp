// The mirror compared with the order that it mirrors. After any fault of the change log the mirror is right,
// or reports that it cannot follow.
#include "adapters/redis/waiting_room/mirror.h"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace maejin::redis {
namespace {

constexpr Time kMirroredAt = TimeFromMillis(1'794'736'800'000);

// A naive model of a room's order, and its change log.
class PlainLine {
 public:
  void Step(std::mt19937& chance) {
    std::string words;
    const auto add = [&](char op, std::uint32_t order) { words += fmt::format(" {}{}", op, order); };
    const auto joins = chance() % 4;
    if (joins > 0) words += fmt::format(" +{}:{}", last_, joins);
    for (std::uint32_t i = 0; i < joins; ++i) waiting_.insert(last_++);
    for (auto leaves = chance() % 3; leaves > 0 && !waiting_.empty(); --leaves) {
      const auto one = std::next(waiting_.begin(), static_cast<int>(chance() % waiting_.size()));
      add(">LPXAR"[chance() % 6], *one);
      waiting_.erase(one);
    }
    if (!waiting_.empty()) add("sct"[chance() % 3], *waiting_.begin());
    log_.push_back(fmt::format("{} {}{}", log_.size() + 1, ToMillis(kMirroredAt), words));
  }
  RoomRecord Record() const {
    RoomRecord record;
    record.changes = static_cast<std::uint32_t>(log_.size());
    record.info.last_number = last_;
    record.line_sum = sum();
    record.line.resize((last_ + 7) / 8);
    for (const auto order : waiting_)
      record.line[order / 8] = static_cast<char>(record.line[order / 8] | 0x80 >> order % 8);
    return record;
  }
  bool IsMirroredBy(Mirror& mirror) const {
    std::uint32_t rank = 0;
    for (std::uint32_t order = 0; order < last_; ++order) {
      const bool waits = waiting_.contains(order);
      if (mirror.Has(order + 1) != waits || mirror.RankOf(order + 1, kMirroredAt) != rank) return false;
      rank += waits ? 1 : 0;
    }
    return mirror.Fits(count(), sum());
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(waiting_.size()); }
  std::uint32_t sum() const {
    std::uint32_t all = 0;
    for (const auto order : waiting_) all += order;
    return all;
  }
  const std::vector<std::string>& log() const { return log_; }

 private:
  std::uint32_t last_ = 0;
  std::set<std::uint32_t> waiting_;
  std::vector<std::string> log_;
};

class MirrorTest : public testing::Test {
 protected:
  // Makes this many changes. The mirror is loaded after the first half; `rest_` has the entries of the second
  // half.
  void Live(int changes) {
    for (int i = 0; i < changes / 2; ++i) line_.Step(chance_);
    ASSERT_TRUE(mirror_.Load(line_.Record(), kMirroredAt));
    for (int i = 0; i < changes / 2; ++i) line_.Step(chance_);
    const auto& log = line_.log();
    rest_.assign(log.begin() + changes / 2, log.end());
  }
  bool FollowAll(const std::vector<std::string>& log) {
    return std::all_of(log.begin(), log.end(),
                       [&](const auto& entry) { return mirror_.Follow(entry, stats_); });
  }
  // Renumbers the log, so that its numbers do not show a missing entry.
  std::vector<std::string> Renumbered(std::vector<std::string> log) const {
    auto number = mirror_.changes();
    for (auto& entry : log) entry = std::to_string(++number) + entry.substr(entry.find(' '));
    return log;
  }

  std::mt19937 chance_{11};
  PlainLine line_;
  Mirror mirror_;
  RoomStats stats_;
  std::vector<std::string> rest_;
};

TEST_F(MirrorTest, FollowsTheLogAndGivesTheRanksOfTheLine) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    chance_.seed(seed);
    line_ = PlainLine();
    mirror_ = Mirror();
    Live(100);
    ASSERT_TRUE(FollowAll(rest_));
    ASSERT_TRUE(line_.IsMirroredBy(mirror_)) << "seed " << seed;
  }
  EXPECT_GT(stats_.arrivals, 1000U);
  EXPECT_GT(stats_.admissions, 100U);
}

TEST_F(MirrorTest, MissingEntryIsFoundAndLoadingMendsIt) {
  Live(40);
  rest_.erase(rest_.begin() + 7);
  EXPECT_FALSE(FollowAll(rest_));
  ASSERT_TRUE(mirror_.Load(line_.Record(), kMirroredAt));
  EXPECT_TRUE(line_.IsMirroredBy(mirror_));
}

TEST_F(MirrorTest, RepeatedEntryIsPassedOver) {
  Live(40);
  std::vector<std::string> twice;
  for (const auto& entry : rest_) twice.insert(twice.end(), {entry, entry});
  EXPECT_TRUE(FollowAll(twice));
  EXPECT_TRUE(line_.IsMirroredBy(mirror_));
}

TEST_F(MirrorTest, EntriesOutOfOrderAreFoundAndLoadingMendsIt) {
  Live(40);
  std::swap(rest_[4], rest_[5]);
  EXPECT_FALSE(FollowAll(rest_));
  ASSERT_TRUE(mirror_.Load(line_.Record(), kMirroredAt));
  EXPECT_TRUE(line_.IsMirroredBy(mirror_));
}

TEST_F(MirrorTest, GarbageIsFound) {
  for (const char* entry : {"", "x", "1", "1 1 ?3", "1 1 +", "1 1 +7:", "1 1 >2:x", "1 1 L", "1 1 b0"}) {
    Mirror mirror;
    ASSERT_TRUE(mirror.Load(line_.Record(), kMirroredAt));
    EXPECT_FALSE(mirror.Follow(entry, stats_)) << entry;
  }
}

TEST_F(MirrorTest, OlderRecordIsNotLoaded) {
  Live(40);
  const auto old = line_.Record();
  ASSERT_TRUE(FollowAll(rest_));
  line_.Step(chance_);
  ASSERT_TRUE(mirror_.Follow(line_.log().back(), stats_));
  EXPECT_FALSE(mirror_.Load(old, kMirroredAt));
  EXPECT_TRUE(line_.IsMirroredBy(mirror_));
}

// Controls: if the entries' numbers do not show the fault, the ranks are wrong; the count or the sum of the
// places shows it.
TEST_F(MirrorTest, ControlWithoutNumbersAMissingEntryGivesWrongRanksAndIsSeenBySum) {
  Live(40);
  rest_.erase(rest_.begin() + 7);
  ASSERT_TRUE(FollowAll(Renumbered(rest_)));
  EXPECT_FALSE(line_.IsMirroredBy(mirror_));
  EXPECT_FALSE(mirror_.Fits(line_.count(), line_.sum()));
}

TEST_F(MirrorTest, ControlWithoutNumbersARepeatedEntryIsSeenBySum) {
  Live(40);
  const auto joins = std::find_if(rest_.begin(), rest_.end(),
                                  [](auto& entry) { return entry.find('+') != std::string::npos; });
  ASSERT_NE(joins, rest_.end());
  rest_.push_back(*joins);
  ASSERT_TRUE(FollowAll(Renumbered(rest_)));
  EXPECT_FALSE(mirror_.Fits(line_.count(), line_.sum()));
}

TEST_F(MirrorTest, ControlWithoutNumbersEntriesOutOfOrderAreSeenBySum) {
  Live(10);
  rest_ = {fmt::format("1 1 +{}:1", 500), "2 1 L500"};
  std::swap(rest_[0], rest_[1]);
  const auto before = std::pair(line_.count(), line_.sum());
  ASSERT_TRUE(FollowAll(Renumbered(rest_)));
  EXPECT_FALSE(mirror_.Fits(before.first, before.second));
}

// After a loss.

TEST_F(MirrorTest, AfterALossAPlaceThatComesBackMovesNoOther) {
  RoomRecord record;
  record.lost_at = kMirroredAt;
  record.info.settings.grace = Seconds{600};
  record.info.last_number = record.lost_number = 1'000'020;
  record.before_range = 20;
  record.before = std::string("\xff\x0f\xf0", 3);  // places 0 to 7 and 12 to 19 of the order
  ASSERT_TRUE(mirror_.Load(record, kMirroredAt));
  EXPECT_EQ(mirror_.RankOf(20, kMirroredAt), 15U);
  EXPECT_FALSE(mirror_.Has(20)) << "it has not come back";
  ASSERT_TRUE(mirror_.Follow("1 1 ^19 ^0 ^9", stats_));
  EXPECT_TRUE(mirror_.Has(20));
  EXPECT_EQ(mirror_.RankOf(20, kMirroredAt), 15U) << "also where a place comes back that had left";
  ASSERT_TRUE(mirror_.Follow("2 1 >0 +1000020:1", stats_));
  EXPECT_EQ(mirror_.RankOf(20, kMirroredAt), 14U);
  EXPECT_EQ(mirror_.RankOf(1'000'021, kMirroredAt), 15U) << "behind all who may come back";
  const auto settled = kMirroredAt + Seconds{600};
  EXPECT_EQ(mirror_.RankOf(20, settled), 1U) << "those who have not come back have gone";
}

TEST_F(MirrorTest, AfterALossOfWhichNoMirrorKnewTheLineOlderPlacesHaveNoRank) {
  RoomRecord record;
  record.lost_at = kMirroredAt;
  record.info.settings.grace = Seconds{600};
  record.info.last_number = record.lost_number = 1'000'020;
  ASSERT_TRUE(mirror_.Load(record, kMirroredAt));
  ASSERT_TRUE(mirror_.Follow("1 1 ^19 +1000020:2", stats_));
  EXPECT_FALSE(mirror_.RankOf(20, kMirroredAt));
  EXPECT_EQ(mirror_.RankOf(1'000'022, kMirroredAt), 1U);
  EXPECT_EQ(mirror_.RankOf(20, kMirroredAt + Seconds{600}), 0U);
}

TEST_F(MirrorTest, MillionWaitersTakeLessThanAByteEach) {
  RoomRecord record;
  record.info.last_number = 1'000'000;
  record.line = std::string(125'000, '\xff');
  ASSERT_TRUE(mirror_.Load(record, kMirroredAt));
  EXPECT_EQ(mirror_.RankOf(1'000'000, kMirroredAt), 999'999U);
  EXPECT_LT(mirror_.bytes(), 1'000'000U);
}

}  // namespace
}  // namespace maejin::redis
