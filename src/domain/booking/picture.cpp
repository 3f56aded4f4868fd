#include "domain/booking/picture.h"

#include "base/big_endian.h"

namespace maejin {
namespace {

using Bytes = std::string_view;

std::uint32_t ByteAt(Bytes bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

std::uint32_t BigEndian(Bytes bytes, std::size_t at, std::size_t count) {
  return static_cast<std::uint32_t>(NumberOfBigEndian(bytes.substr(at, count)));
}

std::uint32_t LittleEndian(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t number = 0;
  for (std::size_t i = count; i > 0; --i) number = number << 8 | ByteAt(bytes, at + i - 1);
  return number;
}

std::optional<PictureInfo> Sized(PictureType type, std::uint32_t width, std::uint32_t height) {
  if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX) return {};
  return PictureInfo{type, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)};
}

// The first chunk of a PNG is IHDR: 13 bytes that begin with width and height.
std::optional<PictureInfo> ReadPng(Bytes bytes) {
  constexpr Bytes kStart("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  if (!bytes.starts_with(kStart) || bytes.size() < 33) return {};
  return Sized(PictureType::kPng, BigEndian(bytes, 16, 4), BigEndian(bytes, 20, 4));
}

// The JPEG markers SOF0…SOF15. DHT, JPG and DAC are in the same range, and are no frame headers.
bool IsFrameHeader(std::uint32_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

// Segments follow each other up to the frame header, which has the size.
std::optional<PictureInfo> ReadJpeg(Bytes bytes) {
  if (!bytes.starts_with("\xff\xd8\xff")) return {};
  std::size_t at = 2;
  while (at + 9 <= bytes.size() && ByteAt(bytes, at) == 0xff) {
    const auto marker = ByteAt(bytes, at + 1);
    if (marker == 0xff) {  // a fill byte
      ++at;
      continue;
    }
    if (IsFrameHeader(marker))
      return Sized(PictureType::kJpeg, BigEndian(bytes, at + 7, 2), BigEndian(bytes, at + 5, 2));
    const auto length = BigEndian(bytes, at + 2, 2);
    if (length < 2 || marker == 0xda || marker == 0xd9) return {};
    at += 2 + length;
  }
  return {};
}

// WebP is a RIFF file. Its first chunk, VP8 (lossy), VP8L (lossless) or VP8X (extended), has the size.
std::optional<PictureInfo> ReadWebp(Bytes bytes) {
  if (bytes.size() < 30 || !bytes.starts_with("RIFF") || bytes.substr(8, 4) != "WEBP") return {};
  const auto chunk = bytes.substr(12, 4);
  if (chunk == "VP8X")
    return Sized(PictureType::kWebp, LittleEndian(bytes, 24, 3) + 1, LittleEndian(bytes, 27, 3) + 1);
  if (chunk == "VP8L" && ByteAt(bytes, 20) == 0x2f) {
    const auto bits = LittleEndian(bytes, 21, 4);
    return Sized(PictureType::kWebp, (bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1);
  }
  if (chunk == "VP8 " && bytes.substr(23, 3) == "\x9d\x01\x2a")
    return Sized(PictureType::kWebp, LittleEndian(bytes, 26, 2) & 0x3fff,
                 LittleEndian(bytes, 28, 2) & 0x3fff);
  return {};
}

}  // namespace

std::string_view Name(PictureKind kind) { return kind == PictureKind::kLogo ? "logo" : "poster"; }

std::string_view MediaType(PictureType type) {
  switch (type) {
    case PictureType::kJpeg:
      return "image/jpeg";
    case PictureType::kPng:
      return "image/png";
    case PictureType::kWebp:
      break;
  }
  return "image/webp";
}

std::optional<PictureType> PictureTypeOf(std::string_view media_type) {
  for (const auto type : {PictureType::kJpeg, PictureType::kPng, PictureType::kWebp})
    if (MediaType(type) == media_type) return type;
  return {};
}

std::optional<PictureInfo> ReadPictureHeader(std::string_view bytes) {
  if (const auto png = ReadPng(bytes)) return png;
  if (const auto jpeg = ReadJpeg(bytes)) return jpeg;
  return ReadWebp(bytes);
}

}  // namespace maejin
