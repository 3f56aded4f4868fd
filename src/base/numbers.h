// Numbers in text from outside: the whole text, or nothing.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace maejin {

// Absent: anything but a plain decimal number that fits. No blanks, no plus sign, no empty text.
template <class Number>
std::optional<Number> ParseInt(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}
// And not outside of least…most.
template <class Number>
std::optional<Number> ParseInt(std::string_view text, Number least, Number most) {
  const auto number = ParseInt<Number>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

}  // namespace maejin
