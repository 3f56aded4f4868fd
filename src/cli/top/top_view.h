// What an operator is shown of a server: made from readings, without asking anybody.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top/top_reading.h"

namespace maejin::cli {

enum class FigureUnit : std::uint8_t { kCount, kPerSecond, kPerMinute, kSeconds };

// One number of a group of them. The same list makes the text and the JSON.
struct Figure {
  std::string_view group;  // "requests"
  std::string_view label;  // "errors"; empty: the group's own
  std::string_view name;   // in JSON: "errorsPerSecond"
  FigureUnit unit = FigureUnit::kCount;
  bool told = false;            // the server knows such a number at all
  std::optional<double> value;  // absent: not known yet, or a quantile of nothing
};

struct TopRoom {
  SeenRoom room;
  std::string title;                          // of its concert; empty where it is nobody's
  std::optional<double> admitted_per_minute;  // absent: not known yet
};

struct TopConcert {
  SeenConcert concert;
  std::int64_t sold = 0;
  std::optional<double> sold_per_minute;  // absent as above; refunds make it 0, not less
};

struct TopView {
  std::string url;
  Time at;
  bool ready = false;
  bool draining = false;
  std::vector<std::pair<std::string, bool>> checks;
  std::optional<SeenServer> server;
  std::vector<Figure> figures;
  std::vector<TopRoom> rooms;        // most people waiting first
  std::vector<TopConcert> concerts;  // on sale, the one with most people waiting first; then those sold out
  std::vector<std::string> notes;
};

// A server that does not answer.
struct Outage {
  std::string url;
  Time at;
  Time since;
  std::string sentence;
};

// `before`: the reading before, for what happens in seconds; `earlier`: one some half a minute older, for what happens
// in minutes. Without them (null) rates and quantiles are absent.
TopView MakeTopView(std::string url, const TopReading& now, const TopReading* before,
                    const TopReading* earlier);

}  // namespace maejin::cli
