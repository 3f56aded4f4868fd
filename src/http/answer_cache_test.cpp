#include "http/answer_cache.h"

#include <gtest/gtest.h>

namespace maejin::http {
namespace {

struct Accepting final : Headers {
  explicit Accepting(std::string_view asked_for) : coding(asked_for) {}
  std::string_view Find(std::string_view name) const override {
    return name == "Accept-Encoding" ? coding : std::string_view{};
  }
  std::string_view coding;
};

Request RequestOf(std::string_view target, const Headers& headers) {
  Request request;
  request.target = target;
  request.headers = &headers;
  return request;
}

// A text that compresses badly.
std::string Body(std::size_t size) {
  std::string text;
  for (std::uint32_t i = 1; text.size() < size; ++i) text += std::to_string(i * 2654435761U);
  return text;
}

TEST(AnswerCacheTest, CompressedFormsCountInItsLimit) {
  AnswerCache cache;
  const Accepting plain("");
  const Accepting gzip("gzip");
  const Accepting brotli("br");
  const auto body = Body(100'000);
  std::size_t most = 0;
  std::uint64_t compressed = 0;
  for (int i = 0; i < 60; ++i) {
    const auto target = "/rankings?page=" + std::to_string(i);
    Response kept;
    kept.body = body;
    cache.Keep(RequestOf(target, plain), {.version = 1}, kept);
    const auto before = cache.bytes();
    for (const Headers* headers :
         {static_cast<const Headers*>(&gzip), static_cast<const Headers*>(&brotli)}) {
      Response served;
      ASSERT_TRUE(cache.Serve(RequestOf(target, *headers), 1, Time{}, served));
      compressed += served.body.size();
      ASSERT_LT(served.body.size(), body.size());
    }
    EXPECT_GT(cache.bytes(), before);
    most = std::max(most, cache.bytes());
  }
  EXPECT_GT(compressed, 2U << 20) << "the compressed forms alone exceed the limit";
  EXPECT_LE(most, (2U << 20) + 2 * body.size());
}

}  // namespace
}  // namespace maejin::http
