#include "base/draft.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(Draft, AppendsTheTextOnDestruction) {
  std::string out = "before ";
  {
    Draft draft(out);
    draft << "rank" << std::string_view("=") << std::int64_t{7} << " least " << INT64_MIN;
    EXPECT_EQ(out, "before ") << "nothing is appended before the destructor";
  }
  EXPECT_EQ(out, "before rank=7 least -9223372036854775808");
}

TEST(Draft, TakesTextsOfEveryLengthInOrder) {
  std::string out;
  std::string expected;
  {
    Draft draft(out);
    for (std::size_t length = 0; length < 1500; length += 7) {
      const std::string text(length, static_cast<char>('a' + length % 26));
      draft << text << "," << static_cast<std::int64_t>(length) << ";";
      expected += text + "," + std::to_string(length) + ";";
    }
  }
  EXPECT_EQ(out, expected);
}

TEST(Draft, FlushAllowsOtherAppends) {
  std::string out;
  {
    Draft draft(out);
    draft << "a";
    draft.Flush() += "b";
    draft << "c";
  }
  EXPECT_EQ(out, "abc");
}

}  // namespace
}  // namespace maejin
