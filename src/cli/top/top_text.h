// What an operator is shown, as lines of a given width and as JSON. Pure.
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

// At most `size.rows` lines, none wider than `size.columns`; tables that do not fit say how many rows they leave out,
// and leave out columns from the right.
std::vector<TopLine> TopLines(const TopView& view, TopSize size);
std::vector<TopLine> TopLines(const Outage& outage, TopSize size);

// One object, without a line's end, with every room and concert on sale.
std::string TopJson(const TopView& view);
std::string TopJson(const Outage& outage);

}  // namespace maejin::cli
