// The windows of rankings: days, ISO weeks and months. Pure functions; base/time_zone.h maps instants to
// days.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/time_zone.h"

namespace maejin {

enum class WindowKind : std::uint8_t { kDaily, kWeekly, kMonthly, kAll };

// One period, identified by its kind and first day. kAll has no first day.
struct Window {
  WindowKind kind = WindowKind::kAll;
  Date first_day{};

  friend bool operator==(const Window&, const Window&) = default;
  friend auto operator<=>(const Window&, const Window&) = default;
};

// The window of that kind that contains `day`. Weeks begin on Monday (ISO 8601).
Window WindowOf(WindowKind kind, Date day);
Window WindowOf(WindowKind kind, Time instant, const TimeZone& zone);

// The first day after the window. Precondition: not kAll.
Date DayAfter(const Window& window);
// The first instant after the window. Precondition: not kAll.
Time EndOf(const Window& window, const TimeZone& zone);

// The form of a window in a key.
enum class WindowText : std::uint8_t {
  kCompact,  // 20251031, 2025-W44, 202510
  kDashed,   // 2025-10-31, 2025-W44, 2025-10
};
// Empty for kAll. The year of a week is its ISO year: 2025-12-29 is in 2026-W01.
std::string Format(const Window& window, WindowText form);

// "daily", "weekly", "monthly", "all".
std::string_view Name(WindowKind kind);
std::optional<WindowKind> ParseWindowKind(std::string_view name);

}  // namespace maejin
