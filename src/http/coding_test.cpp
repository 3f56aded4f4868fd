#include "http/coding.h"

#include <gtest/gtest.h>

namespace maejin::http {
namespace {

TEST(CodingTest, ClientsChoiceIsFollowed) {
  const std::pair<std::string_view, Coding> cases[] = {
      {"", Coding::kIdentity},
      {"identity", Coding::kIdentity},
      {"deflate", Coding::kIdentity},
      {"gzip", Coding::kGzip},
      {"x-gzip", Coding::kGzip},
      {"br", Coding::kBrotli},
      {"gzip, deflate, br", Coding::kBrotli},
      {"br;q=0.5, gzip", Coding::kGzip},
      {"br;q=0.5, gzip;q=0.4", Coding::kBrotli},
      {"br;q=0, gzip;q=0.001", Coding::kGzip},
      {"gzip;q=0", Coding::kIdentity},
      {"gzip; q=0.000", Coding::kIdentity},
      {"*", Coding::kBrotli},
      {"*;q=0", Coding::kIdentity},
      {"*, br;q=0", Coding::kGzip},
      {"gzip;q=abc", Coding::kIdentity},
      {"gzip;x", Coding::kIdentity},
      {",,;;,", Coding::kIdentity},
      {"brr, gzipp", Coding::kIdentity},
  };
  for (const auto& [header, expected] : cases) EXPECT_EQ(AcceptedCoding(header), expected) << header;
}

TEST(CodingTest, TextIsSmallerInEveryCodingAndEffort) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += R"({"number":)" + std::to_string(i) + R"(,"status":"AVAILABLE"},)";
  for (const auto coding : {Coding::kGzip, Coding::kBrotli}) {
    for (const auto effort : {Effort::kFast, Effort::kSmall}) {
      const auto before = Compressions();
      EXPECT_LT(Compress(text, coding, effort).size(), text.size() / 5);
      EXPECT_EQ(Compressions(), before + 1);
    }
  }
}

}  // namespace
}  // namespace maejin::http
