// A colour of a page, and how well text can be read on it (WCAG 2: relative luminance and contrast).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace maejin {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

inline constexpr Color kBlack{0, 0, 0};
inline constexpr Color kWhite{255, 255, 255};
// The least contrast of text and its background for readers with weak sight (WCAG 2, level AA).
inline constexpr double kReadable = 4.5;

// "#ffcc00", with small or capital letters. Absent: another text.
std::optional<Color> ParseColor(std::string_view text);
// "ffcc00".
std::string HexOf(Color color);
// "#ffcc00".
std::string ToString(Color color);
std::optional<std::string> TextOf(std::optional<Color> color);

// 1 for equal colours … 21 for black and white.
double Contrast(Color one, Color other);
// A mix of share/64 of `other`; the rest is `color`.
Color Mix(Color color, Color other, int share);

}  // namespace maejin
