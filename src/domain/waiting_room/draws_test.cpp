#include "domain/waiting_room/draws.h"

#include <set>

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(Draws, WithoutADrawTheOrderIsTheOrderOfTheNumbers) {
  const Draws draws;
  EXPECT_EQ(draws.IndexOf(1), 0U);
  EXPECT_EQ(draws.IndexOf(70), 69U);
  EXPECT_EQ(draws.NumberAt(69), 70U);
}

TEST(Draws, PreQueueCommitsToItsSeedBeforeTheDraw) {
  SeededRandom random{1};
  Draws draws;
  draws.Begin(1, random);
  const auto& draw = draws.all().front();
  EXPECT_FALSE(draw.drawn());
  EXPECT_EQ(draw.commitment, Commitment(draw.seed));
  EXPECT_EQ(draw.count, 0U);
}

TEST(Draws, DrawPermutesTheNumbersOfItsPreQueueOnly) {
  SeededRandom random{2};
  Draws draws;
  draws.Begin(11, random);
  draws.Finish(60);
  EXPECT_EQ(draws.all().front().count, 50U);
  std::set<Line::Index> indexes;
  for (PlaceNumber number = 11; number <= 60; ++number) {
    const auto index = draws.IndexOf(number);
    EXPECT_EQ(draws.NumberAt(index), number);
    indexes.insert(index);
  }
  EXPECT_EQ(indexes.size(), 50U);
  EXPECT_EQ(*indexes.begin(), 10U);
  EXPECT_EQ(*indexes.rbegin(), 59U);
  EXPECT_EQ(draws.IndexOf(10), 9U) << "before the pre-queue";
  EXPECT_EQ(draws.IndexOf(61), 60U) << "after the pre-queue";
  EXPECT_EQ(draws.NumberAt(60), 61U);
}

TEST(Draws, DrawChangesTheOrder) {
  SeededRandom random{3};
  Draws draws;
  draws.Begin(1, random);
  draws.Finish(1000);
  int moved = 0;
  for (PlaceNumber number = 1; number <= 1000; ++number) moved += draws.IndexOf(number) != number - 1 ? 1 : 0;
  EXPECT_GT(moved, 900);
}

TEST(Draws, SecondPreQueueKeepsTheOrderOfTheFirst) {
  SeededRandom random{4};
  Draws draws;
  draws.Begin(1, random);
  draws.Finish(20);
  const auto before = draws.IndexOf(7);
  draws.Begin(21, random);
  draws.Finish(40);
  EXPECT_EQ(draws.IndexOf(7), before);
  EXPECT_NE(draws.all()[0].commitment, draws.all()[1].commitment);
  for (PlaceNumber number = 21; number <= 40; ++number) EXPECT_GE(draws.IndexOf(number), 20U);
}

TEST(Draws, RestoredDrawsGiveTheSameOrder) {
  SeededRandom random{5};
  Draws draws;
  draws.Begin(1, random);
  draws.Finish(100);
  draws.Begin(101, random);  // not drawn yet
  Draws restored(draws.all());
  for (PlaceNumber number = 1; number <= 120; ++number)
    EXPECT_EQ(restored.IndexOf(number), draws.IndexOf(number));
  restored.Finish(120);
  draws.Finish(120);
  EXPECT_EQ(restored.all().back().order_digest, draws.all().back().order_digest);
}

TEST(Draws, PreQueueWithoutFansIsDrawnEmpty) {
  SeededRandom random{6};
  Draws draws;
  draws.Begin(1, random);
  draws.Finish(0);
  EXPECT_EQ(draws.all().front().count, 0U);
  EXPECT_EQ(draws.IndexOf(1), 0U);
}

}  // namespace
}  // namespace maejin
