#include "domain/waiting_room/line.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace maejin {
namespace {

TEST(Line, RankCountsLivingPlacesBeforeIt) {
  Line line;
  for (Line::Index place : {0U, 5U, 511U, 512U, 100'000U}) line.Set(place);
  EXPECT_EQ(line.Rank(0), 0U);
  EXPECT_EQ(line.Rank(5), 1U);
  EXPECT_EQ(line.Rank(512), 3U);
  EXPECT_EQ(line.Rank(100'000), 4U);
  EXPECT_EQ(line.Rank(200'000), 5U);
  line.Clear(5);
  EXPECT_EQ(line.Rank(100'000), 3U);
}

TEST(Line, RepeatedSetOrClearChangesNothing) {
  Line line;
  EXPECT_TRUE(line.Set(7));
  EXPECT_FALSE(line.Set(7));
  EXPECT_TRUE(line.Clear(7));
  EXPECT_FALSE(line.Clear(7));
  EXPECT_FALSE(line.Clear(1'000'000));
  EXPECT_EQ(line.Count(), 0U);
  EXPECT_EQ(line.First(), Line::kNone);
}

TEST(Line, AgreesWithASortedSet) {
  std::mt19937 random(3);
  Line line;
  std::set<Line::Index> model;
  for (int step = 0; step < 20'000; ++step) {
    const auto place = static_cast<Line::Index>(random() % (1U << (random() % 14)));
    if (random() % 3 != 0) {
      EXPECT_EQ(line.Set(place), model.insert(place).second);
    } else {
      EXPECT_EQ(line.Clear(place), model.erase(place) == 1);
    }
    ASSERT_EQ(line.Count(), model.size());
    const auto asked = static_cast<Line::Index>(random() % 9000);
    const auto before = std::distance(model.begin(), model.lower_bound(asked));
    ASSERT_EQ(line.Rank(asked), before) << "step " << step;
    if (!model.empty()) {
      const auto rank = static_cast<std::uint32_t>(random() % model.size());
      ASSERT_EQ(line.Select(rank), *std::next(model.begin(), rank));
    }
  }
  std::vector<Line::Index> seen;
  line.ForEach(100, 5000, [&](Line::Index place) { seen.push_back(place); });
  EXPECT_EQ(seen, std::vector<Line::Index>(model.lower_bound(100), model.lower_bound(5000)));
}

}  // namespace
}  // namespace maejin
