#include "base/ids.h"

#include <span>

#include "base/hex.h"

namespace maejin {
Id128 Id128::Random(class Random& random) {
  Id128 id;
  random.Fill(std::as_writable_bytes(std::span{id.bytes}));
  return id;
}

std::optional<Id128> Id128::Parse(std::string_view text) {
  Id128 id;
  if (!ReadHex(text, id.bytes)) return {};
  return id;
}

std::string Id128::ToString() const {
  std::string text(kDigits, '0');
  PutHex(bytes, text.data());
  return text;
}

}  // namespace maejin
