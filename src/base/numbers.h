// Strict parsing of integers in external text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace maejin {

// Absent unless the whole text is a decimal integer that fits: no blanks, no plus sign, not empty.
template <class Number>
std::optional<Number> ParseInt(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}
// Also absent outside of least…most.
template <class Number>
std::optional<Number> ParseInt(std::string_view text, Number least, Number most) {
  const auto number = ParseInt<Number>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

}  // namespace maejin
