// What one look at a server found: the answers of its API as values. Boost.JSON stays behind this header.
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

struct SeenRoom {
  std::string id;
  std::string state;  // empty: not told
  std::int64_t waiting = 0;
  std::int64_t entered = 0;
  std::int64_t capacity = 0;
  std::optional<std::int64_t> serving;
  std::optional<double> admitted;  // since the server started; told of the busiest rooms only
};

struct SeenConcert {
  std::int64_t id = 0;
  std::string title;
  std::string status;  // "OPEN"
  std::string sold_out_at;
  std::int64_t total = 0;
  std::int64_t free = 0;
  std::int64_t held = 0;
};

struct SeenServer {
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
  std::optional<SeenServer> server;                  // needs the admin key
  std::vector<SeenRoom> rooms;
  std::vector<SeenConcert> concerts;
  std::vector<std::string> notes;  // what could not be seen, and why: sentences
};

// Each reads one answer's body; false: it is not what maejin answers, and nothing was taken over.
bool ReadReadiness(std::string_view body, TopReading& reading);
bool ReadRooms(std::string_view body, TopReading& reading);
bool ReadSystem(std::string_view body, TopReading& reading);
// Adds one page to those before it.
bool ReadConcerts(std::string_view body, TopReading& reading);

// The rooms that have series of their own in /metrics: what is known without the admin key.
std::vector<SeenRoom> RoomsInMetrics(const MetricsText& metrics);
// Adds to rooms known from elsewhere what only /metrics tells of them.
void AddAdmitted(const MetricsText& metrics, std::vector<SeenRoom>& rooms);

}  // namespace maejin::cli
