// Characters of ASCII, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace maejin {

constexpr bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool IsLetter(char c) { return ToLower(c) >= 'a' && ToLower(c) <= 'z'; }
constexpr bool IsLetterOrDigit(char c) { return IsLetter(c) || IsDigit(c); }

// The value of a hexadecimal digit in upper or lower case; -1: another character.
constexpr int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = ToLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

inline std::string Lowered(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), ToLower);
  return lowered;
}

}  // namespace maejin
