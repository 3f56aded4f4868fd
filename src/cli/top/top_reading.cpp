#include "cli/top/top_reading.h"

#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

std::optional<double> SeriesOf(const MetricsText& metrics, std::string_view name, const std::string& labels) {
  const auto family = metrics.find(name);
  if (family == metrics.end()) return {};
  const auto series = family->second.find(labels);
  return series == family->second.end() ? std::nullopt : std::optional(series->second);
}

}  // namespace

bool ReadReadiness(std::string_view body, TopReading& reading) {
  const auto answer = ObjectIn(body);
  const auto* checks = answer ? ObjectOf(*answer, "checks") : nullptr;
  if (!checks) return false;
  reading.ready = TextOf(*answer, "status") == "ready";
  reading.draining = BoolOf(*answer, "draining");
  for (const auto& [name, fine] : *checks)
    reading.checks.emplace_back(std::string(name), fine.is_bool() && fine.get_bool());
  return true;
}

bool ReadRooms(std::string_view body, TopReading& reading) {
  const auto answer = ObjectIn(body);
  const auto* rooms = answer ? ListOf(*answer, "rooms") : nullptr;
  if (!rooms) return false;
  for (const auto& value : *rooms) {
    const auto* room = value.if_object();
    if (!room) continue;
    reading.rooms.push_back({.id = TextOf(*room, "eventId"),
                             .state = TextOf(*room, "state"),
                             .waiting = CountOf(*room, "waiting"),
                             .entered = CountOf(*room, "entered"),
                             .capacity = CountOf(*room, "capacity"),
                             .serving = NumberIn(*room, "serving"),
                             .admitted = {}});
  }
  AddAdmitted(reading.metrics, reading.rooms);
  return true;
}

bool ReadSystem(std::string_view body, TopReading& reading) {
  const auto answer = ObjectIn(body);
  const auto* back_ends = answer ? ObjectOf(*answer, "backEnds") : nullptr;
  if (!back_ends) return false;
  auto& server = reading.server.emplace();
  server.version = TextOf(*answer, "version");
  server.started_at = ParseTime(TextOf(*answer, "startedAt"));
  for (const auto& [name, what] : *back_ends)
    server.back_ends.emplace_back(std::string(name), what.is_string() ? std::string(what.get_string()) : "");
  return true;
}

bool ReadConcerts(std::string_view body, TopReading& reading) {
  const auto answer = ObjectIn(body);
  const auto* concerts = answer ? ListOf(*answer, "concerts") : nullptr;
  if (!concerts) return false;
  for (const auto& value : *concerts) {
    const auto* concert = value.if_object();
    if (!concert) continue;
    reading.concerts.push_back({.id = CountOf(*concert, "id"),
                                .title = TextOf(*concert, "title"),
                                .status = TextOf(*concert, "status"),
                                .sold_out_at = TextOf(*concert, "soldOutAt"),
                                .total = CountOf(*concert, "totalSeats"),
                                .free = CountOf(*concert, "availableSeats"),
                                .held = CountOf(*concert, "heldSeats")});
  }
  return true;
}

std::vector<RoomReading> RoomsInMetrics(const MetricsText& metrics) {
  std::vector<RoomReading> rooms;
  const auto family = metrics.find("maejin_room_waiting");
  if (family == metrics.end()) return rooms;
  const auto of_room = [&](std::string_view name, const std::string& labels) {
    return static_cast<std::int64_t>(SeriesOf(metrics, name, labels).value_or(0));
  };
  for (const auto& [labels, waiting] : family->second) {
    auto& room = rooms.emplace_back();
    room.id = LabelOf(labels, "room").value_or("");
    room.waiting = static_cast<std::int64_t>(waiting);
    room.entered = of_room("maejin_room_entered", labels);
    room.capacity = of_room("maejin_room_capacity", labels);
  }
  AddAdmitted(metrics, rooms);
  return rooms;
}

void AddAdmitted(const MetricsText& metrics, std::vector<RoomReading>& rooms) {
  const auto family = metrics.find("maejin_room_admitted_total");
  if (family == metrics.end()) return;
  std::map<std::string, double> admitted;
  for (const auto& [labels, count] : family->second) admitted[LabelOf(labels, "room").value_or("")] = count;
  for (auto& room : rooms) {
    if (const auto found = admitted.find(room.id); found != admitted.end()) room.admitted = found->second;
  }
}

}  // namespace maejin::cli
