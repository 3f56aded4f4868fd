// Bytes as lower-case hexadecimal digits.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace maejin {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// Writes two digits for each byte at `out`.
inline void PutHex(std::span<const std::uint8_t> bytes, char* out) {
  static constexpr auto kHexPairs = [] {
    std::array<std::array<char, 2>, 256> two{};
    for (std::size_t byte = 0; byte < two.size(); ++byte)
      two[byte] = {kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    return two;
  }();
  for (const auto byte : bytes) {
    std::memcpy(out, kHexPairs[byte].data(), 2);
    out += 2;
  }
}

inline std::string HexText(std::string_view bytes) {
  std::string text(2 * bytes.size(), '0');
  PutHex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, text.data());
  return text;
}

// Reads two digits for each byte. False: `digits` has another length, or a character that is no lower-case
// hexadecimal digit.
inline bool ReadHex(std::string_view digits, std::span<std::uint8_t> bytes) {
  static constexpr std::uint8_t kNotHex = 0xff;
  static constexpr auto kHexValues = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(kNotHex);
    for (std::uint8_t value = 0; value < 16; ++value)
      values[static_cast<unsigned char>(kHexDigits[value])] = value;
    return values;
  }();
  if (digits.size() != 2 * bytes.size()) return false;
  std::uint8_t wrong = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto high = kHexValues[static_cast<unsigned char>(digits[2 * i])];
    const auto low = kHexValues[static_cast<unsigned char>(digits[2 * i + 1])];
    wrong |= high | low;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return wrong < 16;
}

}  // namespace maejin
