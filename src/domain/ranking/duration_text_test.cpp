#include "domain/ranking/duration_text.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

std::string Korean(Millis duration) { return FormatDuration(duration, DurationLanguage::kKorean); }
std::string English(Millis duration) { return FormatDuration(duration, DurationLanguage::kEnglish); }

TEST(DurationText, IsWrittenInKoreanAndEnglish) {
  EXPECT_EQ(Korean(Seconds{300}), "5분 0초");
  EXPECT_EQ(English(Seconds{300}), "5m 0s");
  EXPECT_EQ(Korean(std::chrono::hours{1}), "1시간 0분 0초");
  EXPECT_EQ(English(std::chrono::hours{1} + Seconds{61}), "1h 1m 1s");
  EXPECT_EQ(Korean(std::chrono::days{107}), "107일 0시간 0분 0초");
  EXPECT_EQ(English(std::chrono::days{3652} + Millis{1}), "3652d 0h 0m 0.001s");
}

TEST(DurationText, KeepsMilliseconds) {
  EXPECT_EQ(Korean(Millis{0}), "0초");
  EXPECT_EQ(English(Millis{1}), "0.001s");
  EXPECT_EQ(Korean(Millis{100}), "0.1초");
  EXPECT_EQ(English(Millis{100}), "0.1s");
  EXPECT_EQ(Korean(Millis{300'250}), "5분 0.25초");
}

}  // namespace
}  // namespace maejin
