#include "domain/waiting_room/standby.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr Time kStandbyNow = TimeFromMillis(1'800'000'000'000);

RoomLoad Load(std::uint32_t arrivals, std::uint32_t entered, std::uint32_t waiting = 0) {
  return {arrivals, entered, waiting, 1000};
}

TEST(Standby, RestsUpToItsLimitsAndQueuesAboveThem) {
  const Standby standby{100, 50};
  EXPECT_TRUE(RestsNext(true, standby, Load(100, 50)));
  EXPECT_FALSE(RestsNext(true, standby, Load(101, 0)));
  EXPECT_FALSE(RestsNext(true, standby, Load(0, 51)));
}

TEST(Standby, QueueingRoomRestsAgainOnlyWellBelowEveryLimit) {
  const Standby standby{100, 50};
  for (const auto& load : {Load(100, 50), Load(81, 40), Load(80, 41)})
    EXPECT_FALSE(RestsNext(false, standby, load)) << load.arrivals_per_minute;
  EXPECT_TRUE(RestsNext(false, standby, Load(80, 40)));
}

TEST(Standby, RoomBetweenTheLimitsStaysAsItIs) {
  const Standby standby{100, {}};
  for (std::uint32_t arrivals = 81; arrivals <= 100; ++arrivals) {
    EXPECT_TRUE(RestsNext(true, standby, Load(arrivals, 0)));
    EXPECT_FALSE(RestsNext(false, standby, Load(arrivals, 0)));
  }
}

TEST(Standby, WaitingVisitorsAndAFullRoomEndTheRest) {
  const Standby standby{};
  EXPECT_TRUE(RestsNext(true, standby, Load(0, 900, 100))) << "each has a free slot";
  EXPECT_FALSE(RestsNext(true, standby, Load(0, 900, 101)));
  EXPECT_FALSE(RestsNext(false, standby, Load(0, 0, 1)));
  EXPECT_FALSE(RestsNext(true, standby, Load(0, 1000)));
  EXPECT_TRUE(RestsNext(true, standby, Load(0, 999)));
  EXPECT_FALSE(RestsNext(false, standby, Load(0, 999)));
  EXPECT_TRUE(RestsNext(false, standby, Load(0, 800)));
}

TEST(ArrivalWindow, CountsPlacesOfTheLastMinuteOnly) {
  ArrivalWindow window;
  window.Count(500, kStandbyNow);
  EXPECT_EQ(window.LastMinute(kStandbyNow), 0U) << "places before the first count are no arrivals";
  window.Count(510, kStandbyNow + Seconds{1});
  window.Count(530, kStandbyNow + Seconds{30});
  EXPECT_EQ(window.LastMinute(kStandbyNow + Seconds{30}), 30U);
  EXPECT_EQ(window.LastMinute(kStandbyNow + Seconds{59}), 30U);
  EXPECT_EQ(window.LastMinute(kStandbyNow + Seconds{61}), 20U);
  EXPECT_EQ(window.LastMinute(kStandbyNow + Seconds{90}), 0U);
}

TEST(ArrivalWindow, RepeatedCountsOfOneSecondAddUp) {
  ArrivalWindow window;
  window.Count(0, kStandbyNow);
  for (std::uint64_t places = 1; places <= 100; ++places)
    window.Count(places, kStandbyNow + Millis{5 * static_cast<int>(places)});
  EXPECT_EQ(window.LastMinute(kStandbyNow + Seconds{1}), 100U);
}

TEST(ArrivalWindow, SmallerCountBeginsAnew) {
  ArrivalWindow window;
  window.Count(0, kStandbyNow);
  window.Count(100, kStandbyNow + Seconds{1});
  window.Count(3, kStandbyNow + Seconds{2});
  EXPECT_EQ(window.LastMinute(kStandbyNow + Seconds{2}), 0U);
}

}  // namespace
}  // namespace maejin
