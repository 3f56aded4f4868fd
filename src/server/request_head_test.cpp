#include "server/request_head.h"

#include <gtest/gtest.h>

namespace maejin::http {
namespace {

// Long enough to be checked both byte by byte and eight bytes at a time.
constexpr std::size_t kLength = 19;

bool Accepts(const std::string& target, const std::string& value) {
  const auto text = "GET " + target + " HTTP/1.1\r\nHost: x\r\nX-A: " + value + "\r\n\r\n";
  HeadScanner scanner;
  if (scanner.Scan(text) != HeadScanner::State::kComplete || scanner.length() != text.size()) return false;
  RequestHead head;
  return head.Parse(text, {}) == HeadError::kNone && head.target() == target;
}

TEST(RequestHead, ClassifiesEveryByteOfAValueAtEveryOffset) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool allowed = (byte >= 0x20 && byte != 0x7f) || byte == '\t';
    for (std::size_t at = 0; at < kLength; ++at) {
      std::string value(kLength, 'v');
      value[at] = static_cast<char>(byte);
      EXPECT_EQ(Accepts("/", value), allowed) << byte << " at " << at;
    }
  }
}

TEST(RequestHead, ClassifiesEveryByteOfATargetAtEveryOffset) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool allowed = byte > 0x20 && byte < 0x7f && byte != '#';
    for (std::size_t at = 1; at < kLength; ++at) {
      std::string target = "/" + std::string(kLength, 't');
      target[at] = static_cast<char>(byte);
      EXPECT_EQ(Accepts(target, "v"), allowed) << byte << " at " << at;
    }
  }
}

}  // namespace
}  // namespace maejin::http
