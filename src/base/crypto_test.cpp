#include "base/crypto.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace maejin {
namespace {

std::string Hex(const Digest& digest) {
  std::string text;
  for (const auto byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

TEST(CryptoTest, Sha256MatchesFips180) {
  EXPECT_EQ(Hex(Sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(Sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(CryptoTest, HmacMatchesRfc4231) {
  EXPECT_EQ(Hex(HmacSha256(std::string(20, '\x0b')).Mac("Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  const HmacSha256 jefe("Jefe");
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(Hex(jefe.Mac("what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }
  EXPECT_EQ(Hex(HmacSha256(std::string(20, '\xaa')).Mac(std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  // A key that is longer than a block, first with a short text and then with a longer one.
  const HmacSha256 longer(std::string(131, '\xaa'));
  EXPECT_EQ(Hex(longer.Mac("Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(
      Hex(longer.Mac("This is a test using a larger than block-size key and a larger than block-size data. "
                     "The key needs to be hashed before being used by the HMAC algorithm.")),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(CryptoTest, HmacRefusesAnotherTextAnotherMacAndAShortPrefix) {
  const HmacSha256 key("a key");
  const auto mac = key.Mac("text");
  const auto text = AsText(mac);
  EXPECT_TRUE(key.Verify("text", text));
  EXPECT_TRUE(key.Verify("text", text.substr(0, 16)));
  EXPECT_FALSE(key.Verify("text", text.substr(0, 15)));
  EXPECT_FALSE(key.Verify("tent", text));
  EXPECT_FALSE(HmacSha256("another key").Verify("text", text));
  EXPECT_FALSE(key.Verify("text", ""));
}

TEST(CryptoTest, OneHmacKeyServesManyThreadsAtOnce) {
  const HmacSha256 key("shared");
  const auto right = key.Mac("text");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 2000; ++n) wrong += key.Mac("text") != right;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CryptoTest, Base64UrlRoundTrips) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(DecodeBase64Url(EncodeBase64Url(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
  EXPECT_EQ(EncodeBase64Url("\xfb\xff"), "-_8");
}

TEST(CryptoTest, Base64UrlHasOneTextForOneValue) {
  EXPECT_FALSE(DecodeBase64Url("-_9"));   // unused bits set
  EXPECT_FALSE(DecodeBase64Url("-_8="));  // padding
  EXPECT_FALSE(DecodeBase64Url("+/8"));   // the other alphabet
  EXPECT_FALSE(DecodeBase64Url("A"));     // no whole byte
  EXPECT_FALSE(DecodeBase64Url("AA A"));
  EXPECT_FALSE(DecodeBase64Url("AAAAA!A"));  // a wrong character after the groups of four
  EXPECT_FALSE(DecodeBase64Url("AAAAAB"));
}

TEST(CryptoTest, ASignatureIsAcceptedByItsOwnKeyAndTextOnly) {
  const auto key = SigningKey::Generate();
  const auto signature = key.Sign("pass");
  ASSERT_EQ(signature.size(), 64U);
  EXPECT_TRUE(key.PublicKey().Verify("pass", signature));
  EXPECT_FALSE(key.PublicKey().Verify("past", signature));
  EXPECT_FALSE(SigningKey::Generate().PublicKey().Verify("pass", signature));
  EXPECT_FALSE(key.PublicKey().Verify("pass", signature.substr(1)));
  EXPECT_FALSE(key.PublicKey().Verify("pass", std::string(64, '\0')));
}

TEST(CryptoTest, SigningKeyRoundTripsThroughPem) {
  const auto key = SigningKey::Generate();
  const auto loaded = SigningKey::FromPem(key.ToPem());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->KeyId(), key.KeyId());
  EXPECT_TRUE(key.PublicKey().Verify("x", loaded->Sign("x")));
  EXPECT_FALSE(SigningKey::FromPem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"));
  EXPECT_FALSE(VerifyKey::FromPem(key.ToPem()));
}

TEST(CryptoTest, PublicKeyRoundTripsThroughJwk) {
  const auto key = SigningKey::Generate();
  const auto open = key.PublicKey();
  const auto rebuilt = VerifyKey::FromEcPoint(EncodeBase64Url(open.x()), EncodeBase64Url(open.y()));
  ASSERT_TRUE(rebuilt);
  EXPECT_TRUE(rebuilt->Verify("x", key.Sign("x")));
  EXPECT_EQ(rebuilt->ToJwk(), open.ToJwk());
  EXPECT_FALSE(
      VerifyKey::FromEcPoint(EncodeBase64Url(open.x()), EncodeBase64Url(open.x())));  // off the curve
}

}  // namespace
}  // namespace maejin
