// 128-bit identifiers that cannot be guessed: reservations, payments, passes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"

namespace maejin {

struct Id128 {
  static constexpr std::size_t kDigits = 32;
  std::array<std::uint8_t, 16> bytes{};

  static Id128 Random(class Random& random);
  // Absent unless the text is exactly kDigits lower-case hexadecimal digits.
  static std::optional<Id128> Parse(std::string_view text);
  // kDigits lower-case hexadecimal digits.
  std::string ToString() const;

  friend auto operator<=>(const Id128&, const Id128&) = default;
};

}  // namespace maejin

template <>
struct std::hash<maejin::Id128> {
  // The bytes are random: any eight of them are a hash.
  std::size_t operator()(const maejin::Id128& id) const noexcept {
    std::size_t word = 0;
    std::memcpy(&word, id.bytes.data(), sizeof word);
    return word;
  }
};
