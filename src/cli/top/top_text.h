// Formats a TopView as text lines of a given width, or as JSON. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/top/top_view.h"

namespace maejin::cli {

enum class LineStyle : std::uint8_t { kPlain, kStrong, kHead, kAlarm };

struct TopLine {
  LineStyle style = LineStyle::kPlain;
  std::string text;
};

struct TopSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// At most `size.rows` text lines, none wider than `size.columns`. A table that does not fit drops columns on
// the right and says how many rows it omits.
std::vector<TopLine> TopLines(const TopView& view, TopSize size);
std::vector<TopLine> TopLines(const Outage& outage, TopSize size);

// One object without a line break, with all rooms and all concerts on sale.
std::string TopJson(const TopView& view);
std::string TopJson(const Outage& outage);

}  // namespace maejin::cli
