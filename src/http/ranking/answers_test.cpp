#include "http/ranking/answers.h"

#include <gmock/gmock.h>

namespace maejin::http {
namespace {

using ::testing::HasSubstr;

std::string ProgressOf(std::int64_t reserved, std::int64_t total) {
  RankedProgress progress;
  progress.rank = 1;
  progress.reserved = reserved;
  progress.total_seats = total;
  std::string text;
  WriteProgressOf(text, progress);
  return text;
}

TEST(RankingAnswersTest, PercentHasOneDecimalAndIsRoundedDown) {
  EXPECT_THAT(ProgressOf(3, 8), HasSubstr(R"("percent":37.5)"));
  EXPECT_THAT(ProgressOf(20'009, 20'010), HasSubstr(R"("percent":99.9)"));
  EXPECT_THAT(ProgressOf(8, 8), HasSubstr(R"("percent":100.0)"));
}

TEST(RankingAnswersTest, PercentIsNullWithoutATotalThatHoldsTheReservedSeats) {
  EXPECT_THAT(ProgressOf(3, 0), HasSubstr(R"("percent":null)"));
  // A date with 20,000 held seats was cancelled, and another concert has 10 seats on that day.
  EXPECT_THAT(ProgressOf(20'001, 10), HasSubstr(R"("percent":null)"));
}

}  // namespace
}  // namespace maejin::http
