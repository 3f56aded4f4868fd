#include "domain/booking/picture.h"

#include <string>

#include <gtest/gtest.h>

namespace maejin {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out += static_cast<char>(byte);
  return out;
}

const std::string kPngStart = "\x89PNG\r\n\x1a\n" + Bytes({0, 0, 0, 13}) + "IHDR";

TEST(PictureHeader, PngHasTheSizeOfItsFirstChunk) {
  const auto png = kPngStart + Bytes({0, 0, 4, 176, 0, 0, 3, 32, 8, 2, 0, 0, 0}) + "crc.";
  EXPECT_EQ(ReadPictureHeader(png), (PictureInfo{PictureType::kPng, 1200, 800}));
  EXPECT_FALSE(ReadPictureHeader(png.substr(0, 32)));
}

TEST(PictureHeader, JpegHasTheSizeOfTheFrameHeaderBehindOtherSegments) {
  const auto head = Bytes({0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xdb, 0, 3, 9});
  const auto jpeg = head + Bytes({0xff, 0xc2, 0, 17, 8, 0x02, 0x58, 0x01, 0x90, 3});
  EXPECT_EQ(ReadPictureHeader(jpeg), (PictureInfo{PictureType::kJpeg, 400, 600}));
  EXPECT_FALSE(ReadPictureHeader(head)) << "no frame header";
  EXPECT_FALSE(ReadPictureHeader(Bytes({0xff, 0xd8, 0xff, 0xe0, 0, 0, 1, 2, 3, 4, 5, 6}))) << "no length";
}

TEST(PictureHeader, WebpIsLossyLosslessOrExtended) {
  const auto riff = [](const std::string& chunk, const std::string& body) {
    return "RIFF...." + std::string("WEBP") + chunk + "...." + body + std::string(16, '\0');
  };
  EXPECT_EQ(ReadPictureHeader(riff("VP8X", Bytes({0, 0, 0, 0, 0xff, 2, 0, 0xff, 1, 0}))),
            (PictureInfo{PictureType::kWebp, 768, 512}));
  EXPECT_EQ(ReadPictureHeader(riff("VP8L", Bytes({0x2f, 0x3f, 0x00, 0x08, 0x00}))),
            (PictureInfo{PictureType::kWebp, 64, 33}));
  EXPECT_EQ(ReadPictureHeader(riff("VP8 ", Bytes({0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 1, 0xf0, 0}))),
            (PictureInfo{PictureType::kWebp, 320, 240}));
  EXPECT_FALSE(ReadPictureHeader(riff("VP9 ", Bytes({0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 1, 0xf0, 0}))));
}

TEST(PictureHeader, OtherBytesAreRefused) {
  for (const std::string text :
       {"", "GIF89a", "<svg xmlns='http://www.w3.org/2000/svg'/>", "\xff\xd8", "RIFF"})
    EXPECT_FALSE(ReadPictureHeader(text));
  EXPECT_FALSE(ReadPictureHeader(kPngStart + std::string(17, '\0'))) << "no width";
}

}  // namespace
}  // namespace maejin
