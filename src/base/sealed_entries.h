// Named entries in a sealed file: length of the name (2 bytes, big-endian), name, size (8 bytes), bytes. An
// entry with an empty name marks the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/big_endian.h"
#include "base/sealed_file.h"

namespace maejin {

struct EntryHead {
  std::string name;  // empty: the end
  std::uint64_t size = 0;
};

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
