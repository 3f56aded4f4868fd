#include "base/color.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace maejin {
namespace {

// A channel of sRGB as linear light.
double Linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double Luminance(Color color) {
  return 0.2126 * Linear(color.red) + 0.7152 * Linear(color.green) + 0.0722 * Linear(color.blue);
}

std::uint8_t MixChannel(std::uint8_t from, std::uint8_t to, int share) {
  return static_cast<std::uint8_t>((from * (64 - share) + to * share + 32) / 64);
}

}  // namespace

std::optional<Color> ParseColor(std::string_view text) {
  if (text.size() != 7 || text.front() != '#') return {};
  std::uint32_t number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 1, end, number, 16);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return Color{static_cast<std::uint8_t>(number >> 16), static_cast<std::uint8_t>(number >> 8 & 0xff),
               static_cast<std::uint8_t>(number & 0xff)};
}

std::string HexOf(Color color) {
  return fmt::format("{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::string ToString(Color color) { return "#" + HexOf(color); }

std::optional<std::string> TextOf(std::optional<Color> color) {
  if (!color) return {};
  return ToString(*color);
}

double Contrast(Color one, Color other) {
  const auto [dark, light] = std::minmax({Luminance(one), Luminance(other)});
  return (light + 0.05) / (dark + 0.05);
}

Color Mix(Color color, Color other, int share) {
  return {MixChannel(color.red, other.red, share), MixChannel(color.green, other.green, share),
          MixChannel(color.blue, other.blue, share)};
}

}  // namespace maejin
