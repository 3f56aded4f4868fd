#include "cli/top/display_width.h"

#include <gtest/gtest.h>

namespace maejin::cli {
namespace {

TEST(DisplayWidth, HangulTakesTwoColumnsAndCombiningMarksNone) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("maejin"), 6U);
  EXPECT_EQ(DisplayWidth("매진"), 4U);
  EXPECT_EQ(DisplayWidth("해 질 녘"), 8U);
  EXPECT_EQ(DisplayWidth("東京ドーム"), 10U);
  EXPECT_EQ(DisplayWidth("e\u0301t\u00e9"), 3U);
  EXPECT_EQ(DisplayWidth("\u1112\u1161\u11ab"), 2U) << "한, in three pieces";
  EXPECT_EQ(DisplayWidth("🎵"), 2U);
  EXPECT_EQ(DisplayWidth("…"), 1U);
}

TEST(DisplayWidth, TruncatesBetweenCharacters) {
  EXPECT_EQ(Truncate("매진 라이브", 11), "매진 라이브");
  EXPECT_EQ(Truncate("매진 라이브", 10), "매진 라이…");
  EXPECT_EQ(Truncate("매진 라이브", 9), "매진 라…");
  EXPECT_EQ(Truncate("매진", 2), "…") << "a syllable is never cut";
  EXPECT_EQ(Truncate("매진", 0), "");
  for (std::size_t columns = 0; columns < 14; ++columns) {
    EXPECT_LE(DisplayWidth(Truncate("매진 라이브 a", columns)), columns);
    EXPECT_EQ(DisplayWidth(PadRight("매진 라이브 a", columns)), columns);
    EXPECT_EQ(DisplayWidth(PadLeft("매진 라이브 a", columns)), columns);
  }
  EXPECT_EQ(PadRight("매진", 6), "매진  ");
  EXPECT_EQ(PadLeft("매진", 6), "  매진");
}

TEST(DisplayWidth, PrintableReplacesControlCharacters) {
  EXPECT_EQ(Printable("매진 라이브"), "매진 라이브");
  EXPECT_EQ(Printable("a\033[2Jb\nc\x7f"), "a?[2Jb?c?");
  EXPECT_EQ(Printable("a\u009b2Jb"), "a?2Jb") << "an escape sequence in one character";
  EXPECT_EQ(Printable("a\u202eb\u200bc"), "a?b?c") << "direction override, zero-width space";
  EXPECT_EQ(Printable("a\xff"
                      "b\xe2\x82"),
            "a?b??");
}

}  // namespace
}  // namespace maejin::cli
