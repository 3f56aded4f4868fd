// The figures of a sale report as rows of text: what the CSV and HTML formats share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/report/sale_report.h"

namespace maejin::http {

struct ReportFigure {
  std::string_view group;  // "line", "waits", "bookings", "conversion"
  std::string_view name;   // as in JSON
  std::optional<std::string> value;
};

// All figures, in a fixed order. An absent value is unknown, or a share whose whole is zero.
std::vector<ReportFigure> FiguresOf(const SaleReport& report);

// "0.2500"; absent without a denominator.
std::optional<std::string> Share(std::int64_t part, std::int64_t whole);
// Seconds with milliseconds: "12.345".
std::string SecondsText(Millis time);
// Why figures of the line are unknown or lower bounds; empty: they are complete.
std::string_view LineReason(const SaleReport& report);

}  // namespace maejin::http
