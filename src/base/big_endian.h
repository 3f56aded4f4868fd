// Numbers as big-endian bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace maejin {

inline std::string BigEndianNumber(std::uint64_t number, std::size_t bytes) {
  std::string out(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) out[bytes - 1 - i] = static_cast<char>(number >> (8 * i));
  return out;
}

inline std::uint64_t NumberOfBigEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

}  // namespace maejin
