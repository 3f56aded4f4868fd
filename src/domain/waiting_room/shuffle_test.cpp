#include "domain/waiting_room/shuffle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "domain/waiting_room/published_draw.h"

namespace maejin {
namespace {

ShuffleSeed Seed(SeededRandom& random) {
  ShuffleSeed seed{};
  random.Fill(std::as_writable_bytes(std::span{seed}));
  return seed;
}

TEST(Shuffle, IsAPermutationWithAnInverse) {
  SeededRandom random(5);
  for (const std::uint32_t count : {0U, 1U, 2U, 3U, 5U, 16U, 17U, 1000U, 4097U}) {
    const Shuffle shuffle(Seed(random), count);
    std::vector<bool> taken(count);
    for (std::uint32_t arrival = 0; arrival < count; ++arrival) {
      const auto position = shuffle.PositionOf(arrival);
      ASSERT_LT(position, count);
      EXPECT_FALSE(taken[position]);
      taken[position] = true;
      EXPECT_EQ(shuffle.ArrivalAt(position), arrival);
    }
  }
}

// Over many draws of 64 arrivals, each arrival gets each position equally often: a chi-square test for each
// arrival, and one for all.
TEST(Shuffle, PositionsAreUniform) {
  constexpr std::uint32_t kCount = 64;
  constexpr int kDraws = 20'000;
  SeededRandom random(11);
  std::vector<std::vector<int>> seen(kCount, std::vector<int>(kCount));
  for (int draw = 0; draw < kDraws; ++draw) {
    const Shuffle shuffle(Seed(random), kCount);
    for (std::uint32_t arrival = 0; arrival < kCount; ++arrival) ++seen[arrival][shuffle.PositionOf(arrival)];
  }
  const double expected = double{kDraws} / kCount;
  double all = 0;
  for (const auto& positions : seen) {
    double chi = 0;
    for (const int count : positions) chi += (count - expected) * (count - expected) / expected;
    all += chi;
    // With 63 degrees of freedom, a fair shuffle exceeds 130 about twice in a million.
    EXPECT_LT(chi, 130);
  }
  // (64 - 1)^2 degrees of freedom: mean 3969, standard deviation 89.
  EXPECT_NEAR(all, 3969, 5 * 89);
}

TEST(Shuffle, PositionsAreUncorrelatedWithArrival) {
  constexpr std::uint32_t kCount = 100'000;
  SeededRandom random(13);
  const Shuffle shuffle(Seed(random), kCount);
  const double mean = (kCount - 1) / 2.0;
  double covariance = 0;
  double variance = 0;
  double neighbours = 0;
  double last = 0;
  for (std::uint32_t arrival = 0; arrival < kCount; ++arrival) {
    const double centred = arrival - mean;
    const double position = shuffle.PositionOf(arrival) - mean;
    covariance += centred * position;
    variance += centred * centred;
    neighbours += last * position;
    last = position;
  }
  const double limit = 5 / std::sqrt(double{kCount});
  EXPECT_LT(std::abs(covariance / variance), limit);
  EXPECT_LT(std::abs(neighbours / variance), limit) << "neighbours in arrival are not neighbours in position";
}

// Control: the correlation detects a reversed order.
TEST(Shuffle, ControlReversedArrivalOrderIsCorrelated) {
  constexpr int kCount = 1000;
  double covariance = 0;
  double variance = 0;
  for (int arrival = 0; arrival < kCount; ++arrival) {
    const double centred = arrival - (kCount - 1) / 2.0;
    covariance += centred * -centred;
    variance += centred * centred;
  }
  EXPECT_GT(std::abs(covariance / variance), 5 / std::sqrt(double{kCount}));
}

TEST(PublishedDraw, AlteredFieldFailsVerification) {
  SeededRandom random(17);
  PublishedDraw draw;
  draw.algorithm = kShuffleAlgorithm;
  draw.seed = Seed(random);
  draw.commitment = Commitment(*draw.seed);
  draw.count = 5000;
  draw.order_digest = OrderDigest(Shuffle(*draw.seed, draw.count));
  EXPECT_FALSE(Verify(draw));
  auto altered = draw;
  (*altered.seed)[3] ^= 1;
  EXPECT_EQ(Verify(altered), DrawFault::kWrongCommitment);
  altered = draw;
  altered.count = 4999;
  EXPECT_EQ(Verify(altered), DrawFault::kWrongOrder);
  altered = draw;
  altered.commitment[0] = altered.commitment[0] == '0' ? '1' : '0';
  EXPECT_EQ(Verify(altered), DrawFault::kWrongCommitment);
  altered = draw;
  altered.order_digest[9] = altered.order_digest[9] == '0' ? '1' : '0';
  EXPECT_EQ(Verify(altered), DrawFault::kWrongOrder);
  altered = draw;
  altered.seed.reset();
  EXPECT_EQ(Verify(altered), DrawFault::kNotDrawnYet);
}

}  // namespace
}  // namespace maejin
