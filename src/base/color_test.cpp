#include "base/color.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(Color, IsReadInSmallAndCapitalLettersAndWrittenInSmallOnes) {
  EXPECT_EQ(ParseColor("#FFcc00"), (Color{255, 204, 0}));
  EXPECT_EQ(ToString(Color{255, 204, 0}), "#ffcc00");
  EXPECT_EQ(HexOf(Color{1, 2, 3}), "010203");
  EXPECT_EQ(TextOf(kWhite), "#ffffff");
  EXPECT_EQ(TextOf({}), std::nullopt);
}

TEST(Color, OtherTextIsNoColor) {
  for (const auto* text :
       {"", "#", "#fc0", "ffcc00", "#ffcc0", "#ffcc000", "#ffcc0g", "#-fcc00", "#+fcc00", "red", "#ffcc0 "})
    EXPECT_FALSE(ParseColor(text)) << text;
}

TEST(Color, ContrastIsThatOfWcag) {
  EXPECT_NEAR(Contrast(kBlack, kWhite), 21, 0.001);
  EXPECT_EQ(Contrast(kWhite, kWhite), 1);
  // Two neighbouring greys, whose contrasts to white are just above and just below 4.5.
  EXPECT_GE(Contrast(*ParseColor("#767676"), kWhite), kReadable);
  EXPECT_LT(Contrast(*ParseColor("#777777"), kWhite), kReadable);
  EXPECT_EQ(Contrast(kWhite, *ParseColor("#123456")), Contrast(*ParseColor("#123456"), kWhite));
}

TEST(Color, MixGoesFromOneColorToTheOther) {
  const Color color{200, 100, 0};
  EXPECT_EQ(Mix(color, kWhite, 0), color);
  EXPECT_EQ(Mix(color, kWhite, 64), kWhite);
  EXPECT_EQ(Mix(color, kBlack, 32), (Color{100, 50, 0}));
}

}  // namespace
}  // namespace maejin
