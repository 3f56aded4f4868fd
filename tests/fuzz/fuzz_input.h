// What the fuzz targets share: a check that ends the run, and an input that is read value by value.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace maejin::fuzz {

// Aborts, so that libFuzzer keeps the input.
inline void Must(bool condition) {
  if (!condition) std::abort();
}

// The text with replaced bytes. `changes`: pairs of bytes, a position and a replacement.
inline std::string Altered(std::string text, std::string_view changes) {
  for (std::size_t i = 0; i + 1 < changes.size(); i += 2) {
    text[static_cast<unsigned char>(changes[i]) % text.size()] = changes[i + 1];
  }
  return text;
}

// Takes values off the front. A used-up input gives zeros and empty texts.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), data == nullptr ? 0 : size) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t Byte() {
    const auto piece = Take(1);
    return piece.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(piece.front());
  }
  // Small numbers and extreme ones are equally likely.
  std::int64_t Number() {
    switch (Byte() % 4) {
      case 0:
        return Byte();
      case 1:
        return -static_cast<std::int64_t>(Byte());
      case 2:
        return INT64_MAX - Byte();
      default:
        return Raw();
    }
  }
  std::string Text() { return std::string(Take(Byte())); }
  std::string_view Take(std::size_t size) {
    const auto piece = rest_.substr(0, size);
    rest_.remove_prefix(piece.size());
    return piece;
  }
  std::string_view Rest() { return Take(rest_.size()); }

 private:
  std::int64_t Raw() {
    std::int64_t number = 0;
    const auto piece = Take(sizeof number);
    if (!piece.empty()) std::memcpy(&number, piece.data(), piece.size());
    return number;
  }

  std::string_view rest_;
};

}  // namespace maejin::fuzz
