#include "base/time.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(Time, IsWrittenInUtcWithMilliseconds) {
  EXPECT_EQ(FormatTime(TimeFromMillis(1735689600000)), "2025-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatTime(TimeFromMillis(1735689600007)), "2025-01-01T00:00:00.007Z");
  EXPECT_EQ(FormatTime(TimeFromMillis(1709251199999)), "2024-02-29T23:59:59.999Z");
  EXPECT_EQ(FormatTime(*ParseTime("9999-12-31T10:20:30.45Z")), "9999-12-31T10:20:30.450Z");
}

TEST(Time, IsReadWithAnyOffsetAndFraction) {
  EXPECT_EQ(ParseTime("2025-01-01T00:00:00Z"), TimeFromMillis(1735689600000));
  EXPECT_EQ(ParseTime("2025-01-01T09:00:00.5+09:00"), TimeFromMillis(1735689600500));
  EXPECT_EQ(ParseTime("2024-12-31T19:00:00.123456-05:00"), TimeFromMillis(1735689600123));
}

TEST(Time, RefusesWhatIsNotAnInstant) {
  for (const char* text :
       {"", "2025-01-01", "2025-02-30T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01T00:00:60Z",
        "2025-01-01T00:00:00", "2025-01-01T00:00:00.Z", "2025-01-01T00:00:00Z ", "1969-12-31T23:59:59Z",
        "2025-01-01T00:00:00+24:00", "2025-1-1T00:00:00Z"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(Date, RoundTrips) {
  EXPECT_EQ(FormatDate(*ParseDate("2024-02-29")), "2024-02-29");
  EXPECT_FALSE(ParseDate("2025-02-29"));
  EXPECT_FALSE(ParseDate("2025-07-20x"));
}

}  // namespace
}  // namespace maejin
