// The view of `maejin top`, computed from readings. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top/top_reading.h"

namespace maejin::cli {

enum class FigureUnit : std::uint8_t { kCount, kPerSecond, kPerMinute, kSeconds };

// One number of a group. Text and JSON use the same list.
struct Figure {
  std::string_view group;  // "requests"
  std::string_view label;  // "errors"; empty: the group's main figure
  std::string_view name;   // in JSON: "errorsPerSecond"
  FigureUnit unit = FigureUnit::kCount;
  bool reported = false;        // the server has this metric
  std::optional<double> value;  // absent: unknown so far, or no observations
};

struct TopRoom {
  RoomReading room;
  std::string title;                          // of its concert; empty if it has none
  std::optional<double> admitted_per_minute;  // absent: unknown so far
};

struct TopConcert {
  ConcertReading concert;
  std::int64_t sold = 0;
  std::optional<double> sold_per_minute;  // absent: unknown so far; 0 if refunds exceed the sales
};

// One of several watched nodes.
struct TopNode {
  std::string url;
  std::string state;            // "ready", "NOT READY", "DRAINING", "NO ANSWER"
  std::vector<Figure> figures;  // empty: it does not answer
};

struct TopView {
  std::string url;
  Time at;
  bool ready = false;
  bool draining = false;
  std::vector<std::pair<std::string, bool>> checks;
  std::optional<ServerReading> server;
  std::vector<Figure> figures;
  std::vector<TopRoom> rooms;        // most waiting fans first
  std::vector<TopConcert> concerts;  // on sale, most waiting fans first; then sold out
  std::vector<std::string> notes;
  std::vector<TopNode> nodes;  // all watched nodes; empty: only one is watched
};

// The server does not answer.
struct Outage {
  std::string url;
  Time at;
  Time since;
  std::string sentence;
};

// `before`: the previous reading, for per-second rates and quantiles. `earlier`: a reading about 30 s before
// `now`, for per-minute rates. If one is null, its figures are absent.
TopView MakeTopView(std::string url, const TopReading& now, const TopReading* before,
                    const TopReading* earlier);

}  // namespace maejin::cli
