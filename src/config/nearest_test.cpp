#include "config/nearest.h"

#include <vector>

#include <gtest/gtest.h>

namespace maejin::config {
namespace {

TEST(NearestTest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("listen", "listen"), 0U);
  EXPECT_EQ(EditDistance("lisen", "listen"), 1U);
  EXPECT_EQ(EditDistance("llisten", "listen"), 1U);
  EXPECT_EQ(EditDistance("lissen", "listen"), 1U);
  EXPECT_EQ(EditDistance("litsen", "listen"), 1U);
  EXPECT_EQ(EditDistance("", "listen"), 6U);
}

TEST(NearestTest, NearestIsAbsentIfNoWordIsNear) {
  const std::vector<std::string> words = {"listen", "data", "timezone"};
  EXPECT_EQ(Nearest("lsten", words), "listen");
  EXPECT_EQ(Nearest("time-zone", words), "timezone");
  EXPECT_EQ(Nearest("banana", words), std::nullopt);
  EXPECT_EQ(DidYouMean("dta", words), " Did you mean data?");
}

}  // namespace
}  // namespace maejin::config
