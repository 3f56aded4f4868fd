#include "usecase/measure_rooms.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

const MetricFamily& Find(const std::vector<MetricFamily>& families, const std::string& name) {
  for (const auto& family : families) {
    if (family.name == name) return family;
  }
  static const MetricFamily kNone;
  ADD_FAILURE() << "no family " << name;
  return kNone;
}
double Total(const std::vector<MetricFamily>& families, const std::string& name) {
  const auto& family = Find(families, name);
  return family.samples.size() == 1 ? family.samples[0].value : -1;
}

RoomStats Room(const std::string& name, std::uint32_t waiting, std::uint32_t entered) {
  RoomStats room;
  room.room = name;
  room.serving = {.waiting = waiting, .entered = entered, .capacity = 10};
  room.arrivals = waiting + entered;
  room.admissions = entered;
  room.polls = 100;
  room.no_shows = 1;
  room.ends[static_cast<std::size_t>(Ending::kExpired)] = 2;
  return room;
}

TEST(MeasureRooms, TotalsAreOverAllRooms) {
  const auto families = MeasureRooms({Room("a", 5, 1), Room("b", 7, 2)}, 1);
  EXPECT_EQ(Total(families, "maejin_rooms"), 2);
  EXPECT_EQ(Total(families, "maejin_rooms_waiting"), 12);
  EXPECT_EQ(Total(families, "maejin_rooms_entered"), 3);
  EXPECT_EQ(Total(families, "maejin_rooms_capacity"), 20);
  EXPECT_EQ(Total(families, "maejin_room_arrivals_total"), 15);
  EXPECT_EQ(Total(families, "maejin_room_admissions_total"), 3);
  EXPECT_EQ(Total(families, "maejin_room_polls_total"), 200);
  EXPECT_EQ(Total(families, "maejin_room_no_shows_total"), 2);
  for (const auto& sample : Find(families, "maejin_room_ends_total").samples)
    EXPECT_EQ(sample.value, sample.labels[0].second == "expired" ? 4 : 0);
}

TEST(MeasureRooms, OnlyTheBusiestRoomsHaveTheirOwnSeries) {
  std::vector<RoomStats> rooms;
  for (std::uint32_t i = 0; i < 5000; ++i) rooms.push_back(Room("room" + std::to_string(i), i % 1000, 0));
  std::size_t series = 0;
  const auto families = MeasureRooms(rooms, 3);
  for (const auto& family : families) series += family.samples.size();
  EXPECT_LT(series, 30U);
  const auto& waiting = Find(families, "maejin_room_waiting").samples;
  ASSERT_EQ(waiting.size(), 3U);
  EXPECT_EQ(waiting[0].labels, (MetricLabels{{"room", "room1999"}}));
  EXPECT_EQ(waiting[2].value, 999);
  EXPECT_EQ(Find(families, "maejin_room_admitted_total").samples.size(), 3U);
}

TEST(MeasureRooms, WithoutRoomsThereAreNoFamilies) { EXPECT_TRUE(MeasureRooms({}, 20).empty()); }

}  // namespace
}  // namespace maejin
