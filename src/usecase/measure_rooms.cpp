#include "usecase/measure_rooms.h"

#include <algorithm>
#include <functional>

namespace maejin {
namespace {

using Type = MetricFamily::Type;

struct Measure {
  const char* name;
  const char* help;
  Type type;
  double (*of)(const RoomStats&);
};

double Number(std::uint64_t number) { return static_cast<double>(number); }

constexpr Measure kTotals[] = {
    {"maejin_rooms", "Waiting rooms.", Type::kGauge, [](const RoomStats&) { return 1.0; }},
    {"maejin_rooms_waiting", "Waiting fans, in all rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.waiting); }},
    {"maejin_rooms_entered", "Occupied slots, in all rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.entered); }},
    {"maejin_rooms_bypassed", "Fans inside without a slot, let in by a bypass, in all rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.bypassed); }},
    {"maejin_rooms_capacity", "Capacity, in slots, of all rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.capacity); }},
    {"maejin_room_arrivals_total", "Places given to new fans.", Type::kCounter,
     [](const RoomStats& room) { return Number(room.arrivals); }},
    {"maejin_room_admissions_total", "Admissions.", Type::kCounter,
     [](const RoomStats& room) { return Number(room.admissions); }},
    {"maejin_room_polls_total", "Polls.", Type::kCounter,
     [](const RoomStats& room) { return Number(room.polls); }},
    {"maejin_room_no_shows_total", "Turns and slots that expired unused.", Type::kCounter,
     [](const RoomStats& room) { return Number(room.no_shows); }},
};

constexpr Measure kEach[] = {
    {"maejin_room_waiting", "Waiting fans, by room, for the busiest rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.waiting); }},
    {"maejin_room_entered", "Occupied slots, by room, for the busiest rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.entered); }},
    {"maejin_room_bypassed", "Fans inside without a slot, by room, for the busiest rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.bypassed); }},
    {"maejin_room_capacity", "Capacity, in slots, by room, for the busiest rooms.", Type::kGauge,
     [](const RoomStats& room) { return Number(room.serving.capacity); }},
    {"maejin_room_admitted_total", "Admissions, by room, for the busiest rooms.", Type::kCounter,
     [](const RoomStats& room) { return Number(room.admissions); }},
};

double Sum(const std::vector<RoomStats>& rooms, const std::function<double(const RoomStats&)>& of) {
  double sum = 0;
  for (const auto& room : rooms) sum += of(room);
  return sum;
}

MetricFamily Ends(const std::vector<RoomStats>& rooms) {
  MetricFamily ends{"maejin_room_ends_total", "Places and slots that ended, by reason.", Type::kCounter, {}};
  for (std::size_t i = 0; i < kEndings; ++i) {
    const auto reason = std::string(Name(static_cast<Ending>(i)));
    ends.samples.push_back(
        {{{"reason", reason}}, Sum(rooms, [&](auto& room) { return Number(room.ends[i]); })});
  }
  return ends;
}

bool Busier(const RoomStats& a, const RoomStats& b) {
  const auto people = [](const RoomStats& room) {
    return std::uint64_t{room.serving.waiting} + room.serving.entered;
  };
  return people(a) != people(b) ? people(a) > people(b) : a.room < b.room;
}

}  // namespace

std::vector<MetricFamily> MeasureRooms(std::vector<RoomStats> rooms, std::size_t most) {
  std::vector<MetricFamily> families;
  if (rooms.empty()) return families;
  for (const auto& total : kTotals)
    families.push_back({total.name, total.help, total.type, {{{}, Sum(rooms, total.of)}}});
  families.push_back(Ends(rooms));
  const auto kept = std::min(most, rooms.size());
  std::partial_sort(rooms.begin(), rooms.begin() + static_cast<std::ptrdiff_t>(kept), rooms.end(), Busier);
  rooms.resize(kept);
  for (const auto& measure : kEach) {
    MetricFamily family{measure.name, measure.help, measure.type, {}};
    for (const auto& room : rooms) family.samples.push_back({{{"room", room.room}}, measure.of(room)});
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace maejin
