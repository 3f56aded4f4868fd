#include "http/pages/site_look.h"

#include <gmock/gmock.h>

#include "http/pages/web_files.h"

namespace maejin::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Color Of(const char* text) { return *ParseColor(text); }

// The head of a PNG picture.
std::string Png(std::uint8_t width, std::uint8_t height) {
  std::string bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\10\6\0\0\0....", 33);
  bytes[19] = static_cast<char>(width);
  bytes[23] = static_cast<char>(height);
  return bytes;
}

TEST(SiteLook, EveryColorIsReadableOnLightAndDarkPages) {
  for (int red = 0; red < 256; red += 15) {
    for (int green = 0; green < 256; green += 15) {
      for (int blue = 0; blue < 256; blue += 15) {
        const Color wanted{static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                           static_cast<std::uint8_t>(blue)};
        ASSERT_GE(Contrast(InkOn(wanted), wanted), kReadable) << ToString(wanted);
        for (const auto* scheme : {&kLightScheme, &kDarkScheme}) {
          const auto accent = AccentOf(wanted, *scheme);
          for (const auto ground : {scheme->background, scheme->surface, scheme->sunken, accent.soft})
            ASSERT_GE(Contrast(accent.color, ground), kReadable) << ToString(wanted);
          ASSERT_GE(Contrast(accent.ink, accent.color), kReadable) << ToString(wanted);
        }
      }
    }
  }
}

TEST(SiteLook, ReadableColorStaysAsItIs) {
  EXPECT_EQ(AccentOf(Of("#b9252b"), kLightScheme).color, Of("#b9252b"));
  EXPECT_EQ(AccentOf(Of("#ff8377"), kDarkScheme).color, Of("#ff8377"));
}

TEST(SiteLook, YellowIsDarkerOnLightPagesAndBlackIsLighterOnDarkOnes) {
  EXPECT_EQ(ToString(AccentOf(Of("#ffcc00"), kLightScheme).color), "#705900");
  EXPECT_EQ(AccentOf(Of("#ffcc00"), kDarkScheme).color, Of("#ffcc00"));
  EXPECT_EQ(AccentOf(Of("#101010"), kLightScheme).color, Of("#101010"));
  EXPECT_EQ(ToString(AccentOf(Of("#101010"), kDarkScheme).color), "#939393");
  EXPECT_EQ(InkOn(Of("#ffcc00")), kBlack);
  EXPECT_EQ(InkOn(Of("#101010")), kWhite);
}

TEST(SiteLook, SchemesAreThoseOfThePages) {
  const auto is_base = [](std::string_view css) {
    for (const auto* scheme : {&kLightScheme, &kDarkScheme}) {
      const auto start = "--bg:" + ToString(scheme->background) + ";--surface:";
      const auto at = css.find(start);
      if (at == std::string_view::npos) return false;
      const auto rest = css.substr(at + start.size(), 40);
      const bool white = scheme->surface == kWhite && rest.starts_with("#fff;");
      if (!white && !rest.starts_with(ToString(scheme->surface) + ";")) return false;
      if (rest.find("--sunken:" + ToString(scheme->sunken) + ";") == std::string_view::npos) return false;
    }
    return true;
  };
  int found = 0;
  for (const auto& file : WebFiles())
    if (file.name.starts_with("assets/event-") && file.name.ends_with(".css")) found += is_base(file.plain);
  EXPECT_EQ(found, 1);
}

TEST(SiteLook, StylesheetIsMadeFromTheColorInItsName) {
  const auto style = LookStyle("look-ffcc00.css");
  ASSERT_TRUE(style);
  EXPECT_THAT(*style, HasSubstr(":root{--accent:#705900;--accent-ink:#ffffff;"));
  EXPECT_THAT(*style, HasSubstr(":root[data-theme=dark]{--accent:#ffcc00;--accent-ink:#000000;"));
  EXPECT_THAT(*style, HasSubstr(".primary{background:#ffcc00;color:#000000;border-color:var(--accent)}"));
  EXPECT_THAT(LookLink(Of("#ffcc00")), HasSubstr("href=\"/assets/look-ffcc00.css\""));
  EXPECT_THAT(LookStyle("look.css").value_or(""), Not(HasSubstr("--accent")));
}

TEST(SiteLook, OtherNameIsNoStylesheet) {
  for (const auto* name : {"", "look", "look-.css", "look-fc0.css", "look-FFCC00.css", "look-ffcc00",
                           "look-ffcc00.css ", "looks.css", "look-}}body{.css"})
    EXPECT_FALSE(LookStyle(name)) << name;
}

TEST(SiteLook, LogoIsAPictureOfLimitedSize) {
  const auto logo = MakeLogo(Png(0, 0));
  ASSERT_TRUE(logo) << logo.error();
  EXPECT_EQ(logo->info, (PictureInfo{PictureType::kPng, 256, 256}));
  EXPECT_TRUE(logo->name.starts_with("logo-") && logo->name.ends_with(".png")) << logo->name;
  EXPECT_TRUE(MakeLogo(Png(0, 0) + std::string(kLogoLimits.bytes - 33, ' ')));
  EXPECT_THAT(MakeLogo(Png(0, 0) + std::string(kLogoLimits.bytes, ' ')).error(), HasSubstr("256 kB"));
  EXPECT_THAT(MakeLogo("<svg xmlns=\"http://www.w3.org/2000/svg\"/>").error(),
              HasSubstr("can carry scripts"));
  auto high = Png(0, 0);
  high[22] = 2;
  EXPECT_TRUE(MakeLogo(high)) << "512 pixels";
  high[23] = 1;
  EXPECT_THAT(MakeLogo(high).error(), HasSubstr("512 pixels high"));
}

TEST(SiteLook, LogoElementFitsTheHeaderAndHasTheNameAsText) {
  auto logo = *MakeLogo(Png(0, 0));
  EXPECT_EQ(LogoElement(ShownOf(logo), "Han & River"),
            "<img src=\"/assets/" + logo.name + "\" width=\"32\" height=\"32\" alt=\"Han &amp; River\">");
  logo.info.width = 2560;
  EXPECT_THAT(LogoElement(ShownOf(logo), ""), HasSubstr("width=\"128\" height=\"13\""));
}

}  // namespace
}  // namespace maejin::http
