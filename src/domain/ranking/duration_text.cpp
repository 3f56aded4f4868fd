#include "domain/ranking/duration_text.h"

#include <fmt/format.h>

namespace maejin {
namespace {

// The names of the units, with the spaces around them.
struct Units {
  const char* day;
  const char* hour;
  const char* minute;
  const char* second;
};
// In the order of DurationLanguage.
constexpr Units kUnits[] = {
    {"d ", "h ", "m ", "s"},
    {"일 ", "시간 ", "분 ", "초"},
    {"日", "時間", "分", "秒"},
    {" 天 ", " 小時 ", " 分 ", " 秒"},
};

std::string SecondsText(std::int64_t millis) {
  if (millis % 1000 == 0) return fmt::format("{}", millis / 1000);
  auto text = fmt::format("{}.{:03}", millis / 1000, millis % 1000);
  while (text.back() == '0') text.pop_back();
  return text;
}

}  // namespace

std::string FormatDuration(Millis duration, DurationLanguage language) {
  const Units& unit = kUnits[static_cast<std::size_t>(language)];
  const auto millis = duration.count();
  const auto minutes = millis / 60'000;
  const auto hours = minutes / 60;
  std::string text;
  if (hours >= 24) text += fmt::format("{}{}", hours / 24, unit.day);
  if (hours > 0) text += fmt::format("{}{}", hours % 24, unit.hour);
  if (minutes > 0) text += fmt::format("{}{}", minutes % 60, unit.minute);
  return text + SecondsText(millis % 60'000) + unit.second;
}

}  // namespace maejin
