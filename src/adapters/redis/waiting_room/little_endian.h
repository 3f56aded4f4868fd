// Numbers of four bytes as the scripts pack them ('<I4').
#pragma once

#include <cstdint>
#include <string>

namespace maejin::redis {

inline std::uint32_t LittleEndian(const char* bytes) {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

inline void AppendLittleEndian(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

}  // namespace maejin::redis
