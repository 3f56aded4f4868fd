#include "base/result.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace maejin {
namespace {

enum class Refusal { kSoldOut };

TEST(ResultTest, ConvertsFromAValueOrAnError) {
  const Result<int, Refusal> seats = 3;
  const Result<int, Refusal> refused = Refusal::kSoldOut;
  ASSERT_TRUE(seats.ok());
  EXPECT_EQ(*seats, 3);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), Refusal::kSoldOut);
}

TEST(ResultTest, AnErrorsOwnTypeIsAnErrorEvenWhereItConvertsToAValue) {
  const Result<std::string_view, std::string> failed = std::string("the connection was closed");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error(), "the connection was closed");
}

TEST(ResultTest, MovesItsValueOut) {
  Result<std::string, Refusal> name = std::string("A-1-1");
  const std::string taken = *std::move(name);
  EXPECT_EQ(taken, "A-1-1");
}

}  // namespace
}  // namespace maejin
