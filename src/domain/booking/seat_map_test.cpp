#include "domain/booking/seat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maejin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SeatMap MapOf(std::vector<Section> sections) {
  return SeatMap(std::make_shared<const SeatLayout>(std::move(sections), std::vector<SeatNumber>{}), 1000);
}

TEST(SeatLayout, NumbersRunOverSectionsAndRows) {
  const SeatLayout layout({{"R", 2, 3, 500}, {"S", 1, 0, 100, {2, 5}}}, {});
  EXPECT_EQ(layout.size(), 13);
  EXPECT_EQ(layout.RowOf(6).row, 2);
  EXPECT_EQ(layout.RowOf(7).section, 1U);
  EXPECT_EQ(layout.RowOf(8).row, 1);
  EXPECT_EQ(layout.RowOf(9).row, 2);
  EXPECT_EQ(layout.PriceOf(6), 500);
  EXPECT_EQ(layout.PriceOf(13), 100);
  EXPECT_FALSE(layout.Has(0));
  EXPECT_FALSE(layout.Has(14));
}

TEST(SeatMap, CountsFollowEveryMoveAndBlockedSeatsAreNotForSale) {
  auto map = MapOf({{"A", 1, 4, 1}});
  map.Set(1, SeatState::kHeld, 0);
  map.Set(2, SeatState::kAssigned, 1);
  map.Set(3, SeatState::kBlocked, SeatMap::kNoReservation);
  EXPECT_EQ(map.counts(), (SeatCounts{1, 1, 1, 1}));
  EXPECT_EQ(map.counts().ForSale(), 3);
  EXPECT_FALSE(map.counts().SoldOut());
  map.Set(1, SeatState::kAssigned, 0);
  map.Set(4, SeatState::kAssigned, 2);
  EXPECT_TRUE(map.counts().SoldOut());
}

TEST(SeatMap, MapWithOnlyBlockedSeatsIsNotSoldOut) {
  auto map = MapOf({{"A", 1, 1, 1}});
  map.Set(1, SeatState::kBlocked, SeatMap::kNoReservation);
  EXPECT_FALSE(map.counts().SoldOut());
}

TEST(SeatMap, ChangesSinceAVersionNameEachSeatOnce) {
  auto map = MapOf({{"A", 1, 9, 1}});
  map.Set(5, SeatState::kHeld, 0);
  map.Set(2, SeatState::kHeld, 1);
  map.Set(5, SeatState::kAssigned, 0);
  EXPECT_THAT(*map.ChangedSince(1000), ElementsAre(2, 5));
  EXPECT_THAT(*map.ChangedSince(1002), ElementsAre(5));
  EXPECT_THAT(*map.ChangedSince(1003), IsEmpty());
  EXPECT_FALSE(map.ChangedSince(999).has_value()) << "before this map was";
  EXPECT_FALSE(map.ChangedSince(1004).has_value()) << "from the future";
}

TEST(SeatMap, ForgetsChangesOfLongAgo) {
  auto map = MapOf({{"A", 1, 2, 1}});
  for (int i = 0; i < 20'000; ++i) map.Set(1 + i % 2, SeatState::kHeld, 0);
  EXPECT_FALSE(map.ChangedSince(1001).has_value());
  EXPECT_THAT(*map.ChangedSince(20'000), ElementsAre(1, 2));
}

TEST(SeatMap, ChangesAreRememberedAcrossTheEndOfTheRing) {
  auto map = MapOf({{"A", 1, 100, 1}});
  constexpr int kChanges = 16'384 + 50;
  for (int i = 0; i < kChanges; ++i) map.Set(1 + i % 2, SeatState::kHeld, 0);
  map.Set(77, SeatState::kHeld, 0);
  map.Set(3, SeatState::kHeld, 0);
  EXPECT_THAT(*map.ChangedSince(1000 + kChanges), ElementsAre(3, 77));
  EXPECT_THAT(*map.ChangedSince(1000 + kChanges - 60), ElementsAre(1, 2, 3, 77));
  EXPECT_THAT(*map.ChangedSince(map.version() - 16'384), ElementsAre(1, 2, 3, 77));
  EXPECT_FALSE(map.ChangedSince(map.version() - 16'385).has_value());
}

TEST(SeatMap, MemoryOfASmallHallGrowsWithItsChangesUpToALimit) {
  auto map = MapOf({{"A", 1, 30, 1}});
  map.Set(1, SeatState::kHeld, 0);
  EXPECT_LE(map.bytes(), 256U) << "a season has many dates with few sales";
  for (int i = 0; i < 1000; ++i) map.Set(1 + i % 30, SeatState::kHeld, 0);
  EXPECT_LE(map.bytes(), 8192U + 256U);
  for (int i = 0; i < 50'000; ++i) map.Set(1 + i % 30, SeatState::kHeld, 0);
  EXPECT_LE(map.bytes(), 65'536U + 256U);
}

TEST(SeatMap, TheBestSeatsAreInFrontAndInTheMiddle) {
  auto map = MapOf({{"A", 2, 7, 100}});
  EXPECT_THAT(map.FindBest({.count = 1}), ElementsAre(4));
  EXPECT_THAT(map.FindBest({.count = 3}), ElementsAre(3, 4, 5));
  map.Set(4, SeatState::kHeld, 0);
  EXPECT_THAT(map.FindBest({.count = 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(map.FindBest({.count = 4}), ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(map.FindBest({.count = 8}), IsEmpty()) << "never over the end of a row";
}

TEST(SeatMap, BestSeatsFollowTheOrganisersOrderOfSectionsBeforeRows) {
  auto map = MapOf({{"VIP", 2, 3, 500}, {"R", 2, 3, 300}, {"S", 1, 3, 100}});
  EXPECT_THAT(map.FindBest({.count = 3}), ElementsAre(1, 2, 3));
  map.Set(2, SeatState::kHeld, 0);
  EXPECT_THAT(map.FindBest({.count = 3}), ElementsAre(4, 5, 6)) << "row 2 of VIP before row 1 of R";
  map.Set(5, SeatState::kHeld, 0);
  EXPECT_THAT(map.FindBest({.count = 2}), ElementsAre(7, 8)) << "together: VIP has single seats only";
  EXPECT_THAT(map.FindBest({.count = 1}), ElementsAre(1));
  EXPECT_THAT(map.FindBest({.count = 1, .prefer = SeatPreference::kDistance}), ElementsAre(8));
  EXPECT_THAT(map.FindBest({.count = 2, .max_price = 200}), ElementsAre(13, 14));
  EXPECT_THAT(map.FindBest({.count = 2, .prefer = SeatPreference::kPrice}), ElementsAre(13, 14));
}

TEST(SeatMap, LabelsNameSectionRowAndPlace) {
  const SeatLayout layout({{"VIP", 2, 3, 500}, {"S", 1, 0, 100, {2, 5}}}, {});
  EXPECT_EQ(layout.LabelOf(1), "VIP 1-1");
  EXPECT_EQ(layout.LabelOf(6), "VIP 2-3");
  EXPECT_EQ(layout.LabelOf(9), "S 2-1");
}

TEST(SeatMap, TheBestSeatsKeepToTheWish) {
  const auto map = MapOf({{"R", 1, 3, 500}, {"S", 1, 3, 100}});
  EXPECT_THAT(map.FindBest({.count = 1}), ElementsAre(2));
  EXPECT_THAT(map.FindBest({.count = 1, .section = "S"}), ElementsAre(5));
  EXPECT_THAT(map.FindBest({.count = 1, .max_price = 200}), ElementsAre(5));
  EXPECT_THAT(map.FindBest({.count = 1, .prefer = SeatPreference::kPrice}), ElementsAre(5));
  EXPECT_THAT(map.FindBest({.count = 1, .max_price = 50}), IsEmpty());
}

}  // namespace
}  // namespace maejin
