// Named entries in a sealed file: length of the name (2 bytes, big-endian), name, size (8 bytes), bytes. An
// entry without a name is the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sealed_file.h"

namespace maejin {

struct EntryHead {
  std::string name;  // empty: the end
  std::uint64_t size = 0;
};

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

// The caller then writes exactly `size` bytes.
inline FileResult<Done> WriteEntryHead(SealedWriter& out, std::string_view name, std::uint64_t size) {
  return out.Write(BigEndianNumber(name.size(), 2) + std::string(name) + BigEndianNumber(size, 8));
}

inline FileResult<Done> WriteEntry(SealedWriter& out, std::string_view name, std::string_view text) {
  const auto head = WriteEntryHead(out, name, text.size());
  return head ? out.Write(text) : head;
}

// The caller then reads exactly `size` bytes.
inline FileResult<EntryHead> ReadEntryHead(SealedReader& in) {
  std::string bytes;
  auto read = in.Read(2, bytes);
  if (!read) return read.error();
  const auto length = NumberOfBigEndian(bytes);
  bytes.clear();
  read = in.Read(length + 8, bytes);
  if (!read) return read.error();
  return EntryHead{bytes.substr(0, length), NumberOfBigEndian(std::string_view(bytes).substr(length))};
}

}  // namespace maejin
