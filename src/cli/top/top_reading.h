// One reading of a server: the parsed answers of its API. Only the implementation includes Boost.JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cli/top/metrics_text.h"

namespace maejin::cli {

struct RoomReading {
  std::string id;
  std::string state;  // empty: unknown
  std::int64_t waiting = 0;
  std::int64_t entered = 0;
  std::int64_t capacity = 0;
  std::optional<std::int64_t> serving;
  std::optional<double> admitted;  // since the server started; for the busiest rooms only
};

struct ConcertReading {
  std::int64_t id = 0;
  std::string title;
  std::string status;  // "OPEN"
  std::string sold_out_at;
  std::int64_t total = 0;
  std::int64_t free = 0;
  std::int64_t held = 0;
};

struct ServerReading {
  std::string version;
  std::optional<Time> started_at;
  std::vector<std::pair<std::string, std::string>> back_ends;  // "bookings", "embedded, …"
};

struct TopReading {
  Time at;
  MetricsText metrics;
  bool ready = false;
  bool draining = false;
  std::vector<std::pair<std::string, bool>> checks;  // "redis"
  std::optional<ServerReading> server;               // needs the admin key
  std::vector<RoomReading> rooms;
  std::vector<ConcertReading> concerts;
  std::vector<std::string> notes;  // sentences about data that is missing, and why
};

// Each function parses the body of one answer into `reading`. False: the body is not maejin's, and `reading`
// does not change.
bool ReadReadiness(std::string_view body, TopReading& reading);
bool ReadRooms(std::string_view body, TopReading& reading);
bool ReadSystem(std::string_view body, TopReading& reading);
// Appends one page.
bool ReadConcerts(std::string_view body, TopReading& reading);

// The rooms that have their own series in /metrics, which needs no admin key.
std::vector<RoomReading> RoomsInMetrics(const MetricsText& metrics);
// Sets `admitted` of the rooms from /metrics.
void AddAdmitted(const MetricsText& metrics, std::vector<RoomReading>& rooms);

}  // namespace maejin::cli
