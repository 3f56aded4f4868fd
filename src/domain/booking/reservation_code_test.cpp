#include "domain/booking/reservation_code.h"

#include <set>

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(ReservationCode, DifferentNumbersGetDifferentCodesThatLeadBack) {
  std::set<std::string> codes;
  for (std::int64_t number = 0; number < 20'000; ++number) {
    const auto code = CodeOf(number);
    EXPECT_TRUE(codes.insert(code).second) << code;
    ASSERT_EQ(NumberOfCode(code), number);
  }
  constexpr std::int64_t kLargest = (std::int64_t{1} << 40) - 1;
  EXPECT_EQ(NumberOfCode(CodeOf(kLargest)), kLargest);
}

// Codes on printed tickets stay valid: the permutation never changes.
TEST(ReservationCode, KnownNumbersKeepTheirCodes) {
  EXPECT_EQ(CodeOf(1), "44VV-E7DX");
  EXPECT_EQ(CodeOf(2), "VF9X-JSEZ");
  EXPECT_EQ(CodeOf(123'456'789), "JTN6-Q3BC");
}

TEST(ReservationCode, LowerCaseAndSimilarLettersAreAccepted) {
  EXPECT_EQ(NumberOfCode("0101-0101"), NumberOfCode("oiol-OILl"));
  EXPECT_EQ(NumberOfCode("ABCD-EFGH"), NumberOfCode("abcdefgh"));
}

TEST(ReservationCode, OtherTextIsNoCode) {
  for (const char* text : {"", "-", "ABCD-EFG", "ABCD-EFGHJ", "ABCU-EFGH", "ABCD EFGH", "ABCD-EFG\xc3\xa9"})
    EXPECT_FALSE(NumberOfCode(text).has_value()) << text;
}

}  // namespace
}  // namespace maejin
