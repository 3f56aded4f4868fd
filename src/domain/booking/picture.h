// Pictures of concerts: kinds, limits, and the header with type and size. No picture is decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maejin {

enum class PictureType : std::uint8_t { kJpeg, kPng, kWebp };

struct PictureInfo {
  PictureType type = PictureType::kJpeg;
  std::int32_t width = 0;
  std::int32_t height = 0;

  friend bool operator==(const PictureInfo&, const PictureInfo&) = default;
};

// The pictures that a concert may have.
enum class PictureKind : std::uint8_t { kPoster, kLogo };
// "poster". Static lifetime.
std::string_view Name(PictureKind kind);

struct PictureLimits {
  std::size_t bytes = 0;
  std::int32_t width = 0;  // in pixels
  std::int32_t height = 0;
};
// Logos of servers and of concerts have the same limits.
inline constexpr PictureLimits kLogoLimits{256 << 10, 4096, 512};
inline constexpr PictureLimits kPosterLimits{5 << 20, 10'000, 10'000};
constexpr const PictureLimits& LimitsOf(PictureKind kind) {
  return kind == PictureKind::kLogo ? kLogoLimits : kPosterLimits;
}

// A picture of a concert without its bytes.
struct StoredPicture {
  std::string version;  // changes with the picture
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::vector<std::int32_t> widths = {};  // of all copies, ascending; the last is the picture's own
};

// "image/jpeg". Static lifetime.
std::string_view MediaType(PictureType type);
std::optional<PictureType> PictureTypeOf(std::string_view media_type);

// Type and size in the first bytes of a JPEG, PNG or WebP picture. The result is absent for other bytes, and
// where the header has no size.
std::optional<PictureInfo> ReadPictureHeader(std::string_view bytes);

}  // namespace maejin
