#include "domain/ranking/progress_board.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "domain/ranking/applied_events.h"

namespace maejin {
namespace {

TEST(ProgressBoard, MostFirstThenTheEarlierDate) {
  ProgressBoard board;
  board.Change(20, 3);
  board.Change(10, 3);
  board.Change(30, 5);
  ASSERT_EQ(board.entries().size(), 3U);
  EXPECT_EQ(board.entries()[0].member, 30);
  EXPECT_EQ(board.entries()[1].member, 10);
  EXPECT_EQ(board.RankOf(20), 2U);
}

TEST(ProgressBoard, AMemberWithoutSeatsIsNotShown) {
  ProgressBoard board;
  board.Change(10, 1);
  board.Change(10, -1);
  EXPECT_TRUE(board.entries().empty());
  EXPECT_FALSE(board.RankOf(10));
}

TEST(ProgressBoard, AReturnMayArriveBeforeItsReservation) {
  ProgressBoard board;
  board.Change(10, -2);
  EXPECT_TRUE(board.entries().empty());
  board.Change(10, 3);
  EXPECT_EQ(board.entries()[0].reserved, 1);
}

TEST(ProgressBoard, EqualsASortAfterAnyHistory) {
  std::mt19937 chance(20251115);
  ProgressBoard board;
  std::map<std::int64_t, std::int64_t> model;
  for (int step = 0; step < 20'000; ++step) {
    const auto member = static_cast<std::int64_t>(chance() % 40);
    const auto seats = static_cast<std::int64_t>(chance() % 9) - 4;
    board.Change(member, seats);
    model[member] += seats;
    std::vector<ProgressBoard::Entry> expected;
    for (const auto& [key, count] : model) {
      if (count > 0) expected.push_back({key, count});
    }
    std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
      return std::pair(-a.reserved, a.member) < std::pair(-b.reserved, b.member);
    });
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), board.entries().begin(), board.entries().end()));
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(board.RankOf(expected[i].member), i);
  }
}

TEST(AppliedEvents, AppliesEachIdOnceInAnyOrder) {
  AppliedEvents applied(10);
  EXPECT_FALSE(applied.Add(10));
  EXPECT_TRUE(applied.Add(13));
  EXPECT_TRUE(applied.Add(11));
  EXPECT_FALSE(applied.Add(11));
  EXPECT_FALSE(applied.Add(13));
  EXPECT_TRUE(applied.Add(12));
  EXPECT_FALSE(applied.Add(12));
}

TEST(AppliedEvents, MissingIdsDoNotGrowMemory) {
  AppliedEvents applied;
  for (std::uint64_t id = 2; id < 400'000; id += 2) ASSERT_TRUE(applied.Add(id));
  for (std::uint64_t id = 399'000; id < 400'000; id += 2) ASSERT_FALSE(applied.Add(id));
}

}  // namespace
}  // namespace maejin
