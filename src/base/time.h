// Instants and durations in milliseconds, and their text forms.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace maejin {

using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;
// An instant in UTC, to the millisecond.
using Time = std::chrono::time_point<std::chrono::system_clock, Millis>;
// A calendar day without a zone, e.g. the date of a concert.
using Date = std::chrono::year_month_day;

inline constexpr Time TimeFromMillis(std::int64_t millis) { return Time{Millis{millis}}; }
inline constexpr std::int64_t ToMillis(Time time) { return time.time_since_epoch().count(); }

// "2025-10-31T10:00:00.123Z": RFC 3339, UTC, always three decimals.
std::string FormatTime(Time time);
void AppendTime(std::string& out, Time time);
// Any RFC 3339 instant, with any offset; a fraction is truncated to milliseconds.
// Absent if the text is anything else, or the year is outside 1970…9999.
std::optional<Time> ParseTime(std::string_view text);

// "2025-10-31".
std::string FormatDate(Date date);
// Absent unless the text is exactly YYYY-MM-DD and names a real day.
std::optional<Date> ParseDate(std::string_view text);

}  // namespace maejin
