#include "domain/waiting_room/site_settings.h"

#include <charconv>

#include "base/numbers.h"
#include "base/take_until.h"

namespace maejin {

std::string_view Name(Visitors visitors) { return visitors == Visitors::kUsers ? "users" : "anonymous"; }

std::string_view Name(Verification verify) { return verify == Verification::kOnline ? "online" : "offline"; }

std::string JoinLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += text.empty() ? line : "\n" + line;
  return text;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) lines.emplace_back(TakeUntil(text, '\n'));
  return lines;
}

std::string StandbyText(const std::optional<Standby>& standby) {
  if (!standby) return {};
  const auto text = [](const std::optional<std::uint32_t>& limit) {
    return limit ? std::to_string(*limit) : std::string("-");
  };
  return text(standby->arrivals_per_minute) + " " + text(standby->entered);
}

std::optional<Standby> ParseStandby(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return {};
  const auto limit = [](std::string_view digits) -> std::optional<std::uint32_t> {
    std::uint32_t number = 0;
    const auto* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) return {};
    return number;
  };
  return Standby{limit(text.substr(0, space)), limit(text.substr(space + 1))};
}

std::string FloatingText(const std::optional<Floating>& floating) {
  if (!floating) return {};
  return std::to_string(floating->min_per_minute) + " " + std::to_string(floating->max_per_minute) + " " +
         floating->health_url;
}

std::optional<Floating> ParseFloating(std::string_view text) {
  const auto first = text.find(' ');
  if (first == std::string_view::npos) return {};
  const auto second = text.find(' ', first + 1);
  if (second == std::string_view::npos) return {};
  const auto min = ParseInt<std::uint32_t>(text.substr(0, first));
  const auto max = ParseInt<std::uint32_t>(text.substr(first + 1, second - first - 1));
  if (!min || !max) return {};
  return Floating{*min, *max, std::string(text.substr(second + 1))};
}

}  // namespace maejin
