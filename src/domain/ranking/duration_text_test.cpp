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

TEST(DurationText, IsWrittenInJapaneseAndChinese) {
  const auto duration = std::chrono::days{1} + Seconds{7265};
  EXPECT_EQ(FormatDuration(duration, DurationLanguage::kJapanese), "1日2時間1分5秒");
  EXPECT_EQ(FormatDuration(duration, DurationLanguage::kChinese), "1 天 2 小時 1 分 5 秒");
  EXPECT_EQ(FormatDuration(Millis{100}, DurationLanguage::kChinese), "0.1 秒");
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
