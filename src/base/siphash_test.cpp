#include "base/siphash.h"

#include <gtest/gtest.h>

#include <string>

namespace maejin {
namespace {

// The reference vectors of the authors: key 00 01 … 0f, message 00 01 … (n - 1).
constexpr SipKey kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::string Message(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(SipHash, AgreesWithTheReferenceVectors) {
  EXPECT_EQ(SipHash(kKey, ""), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(SipHash(kKey, Message(1)), 0x74f839c593dc67fdU);
  EXPECT_EQ(SipHash(kKey, Message(15)), 0xa129ca6149be45e5U);
}

TEST(SipHash, TheWideVariantAgreesWithTheReferenceVectors) {
  EXPECT_EQ(SipHash128(kKey, ""), (SipHash128Value{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  EXPECT_EQ(SipHash128(kKey, Message(1)), (SipHash128Value{0x44af996bd8c187da, 0x45fc229b11597634}));
}

}  // namespace
}  // namespace maejin
