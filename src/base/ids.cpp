#include "base/ids.h"

#include <span>

namespace maejin {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::optional<std::uint8_t> Nibble(char c) {
  const auto at = kDigits.find(c);
  if (at == std::string_view::npos) return {};
  return static_cast<std::uint8_t>(at);
}

}  // namespace

Id128 Id128::Random(class Random& random) {
  Id128 id;
  random.Fill(std::as_writable_bytes(std::span{id.bytes}));
  return id;
}

std::optional<Id128> Id128::Parse(std::string_view text) {
  if (text.size() != 32) return {};
  Id128 id;
  for (std::size_t i = 0; i < 16; ++i) {
    const auto high = Nibble(text[2 * i]);
    const auto low = Nibble(text[2 * i + 1]);
    if (!high || !low) return {};
    id.bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
  }
  return id;
}

std::string Id128::ToString() const {
  std::string text(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace maejin
