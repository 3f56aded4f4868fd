#include "domain/ranking/window.h"

#include <array>

#include <fmt/format.h>

namespace maejin {
namespace {

using std::chrono::days;
using std::chrono::months;
using std::chrono::sys_days;

constexpr std::array<std::string_view, 4> kWindowNames{"daily", "weekly", "monthly", "all"};

sys_days MondayOf(sys_days day) { return day - (std::chrono::weekday{day} - std::chrono::Monday); }

std::string FormatWeek(Date monday) {
  // A week belongs to the year of its Thursday.
  const auto thursday = sys_days{monday} + days{3};
  const auto year = Date{thursday}.year();
  const auto week = (thursday - sys_days{year / 1 / 1}).count() / 7 + 1;
  return fmt::format("{:04}-W{:02}", static_cast<int>(year), week);
}

}  // namespace

Window WindowOf(WindowKind kind, Date day) {
  switch (kind) {
    case WindowKind::kDaily:
      return {kind, day};
    case WindowKind::kWeekly:
      return {kind, Date{MondayOf(sys_days{day})}};
    case WindowKind::kMonthly:
      return {kind, day.year() / day.month() / 1};
    case WindowKind::kAll:
      break;
  }
  return {};
}

Window WindowOf(WindowKind kind, Time instant, const TimeZone& zone) {
  return WindowOf(kind, kind == WindowKind::kAll ? Date{} : zone.LocalDay(instant));
}

Date DayAfter(const Window& window) {
  if (window.kind == WindowKind::kMonthly) return window.first_day + months{1};
  return Date{sys_days{window.first_day} + days{window.kind == WindowKind::kWeekly ? 7 : 1}};
}

Time EndOf(const Window& window, const TimeZone& zone) { return zone.StartOf(DayAfter(window)); }

std::string Format(const Window& window, WindowText form) {
  const auto year = static_cast<int>(window.first_day.year());
  const auto month = static_cast<unsigned>(window.first_day.month());
  const auto day = static_cast<unsigned>(window.first_day.day());
  const bool dashed = form == WindowText::kDashed;
  switch (window.kind) {
    case WindowKind::kDaily:
      return dashed ? FormatDate(window.first_day) : fmt::format("{:04}{:02}{:02}", year, month, day);
    case WindowKind::kWeekly:
      return FormatWeek(window.first_day);
    case WindowKind::kMonthly:
      return dashed ? fmt::format("{:04}-{:02}", year, month) : fmt::format("{:04}{:02}", year, month);
    case WindowKind::kAll:
      break;
  }
  return {};
}

std::string_view Name(WindowKind kind) { return kWindowNames[static_cast<std::size_t>(kind)]; }

std::optional<WindowKind> ParseWindowKind(std::string_view name) {
  for (std::size_t i = 0; i < kWindowNames.size(); ++i) {
    if (kWindowNames[i] == name) return static_cast<WindowKind>(i);
  }
  return {};
}

}  // namespace maejin
