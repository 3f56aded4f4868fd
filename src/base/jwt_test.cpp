#include "base/jwt.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace maejin {
namespace {

const std::string kSecret = "a secret that is at least 32 bytes";
constexpr Time kNow = TimeFromMillis(1'700'000'000'000);

std::string Signed(std::string_view header, std::string_view payload, const HmacSha256& key) {
  const auto message = EncodeBase64Url(header) + "." + EncodeBase64Url(payload);
  return message + "." + EncodeBase64Url(AsText(key.Mac(message)));
}
std::string Signed(std::string_view header, std::string_view payload, const SigningKey& key) {
  const auto message = EncodeBase64Url(header) + "." + EncodeBase64Url(payload);
  return message + "." + EncodeBase64Url(key.Sign(message));
}
std::string Hs256(std::string_view payload) {
  return Signed(R"({"alg":"HS256"})", payload, HmacSha256(kSecret));
}

JwtFailure FailureOf(const JwtVerifier& verifier, std::string_view token) {
  const auto claims = verifier.Verify(token, kNow);
  EXPECT_FALSE(claims.ok()) << token;
  return claims.ok() ? JwtFailure{} : claims.error();
}

TEST(JwtTest, ASecretAcceptsItsTokens) {
  const auto verifier = JwtVerifier::FromKey(kSecret + "\n");
  ASSERT_TRUE(verifier.ok());
  const auto claims = verifier->Verify(Hs256(R"({"sub":"fan-1","exp":1700000100})"), kNow);
  ASSERT_TRUE(claims.ok());
  EXPECT_EQ(claims->subject, "fan-1");
  EXPECT_EQ(claims->expires_at, TimeFromMillis(1'700'000'100'000));
}

TEST(JwtTest, VerifierAcceptsTheSignersTokens) {
  const auto signer = JwtSigner::FromSecret(kSecret + "\n");
  ASSERT_TRUE(signer.ok());
  const auto claims =
      JwtVerifier::FromKey(kSecret)->Verify(signer->Sign(R"({"sub":"fan-1","exp":1700000100})"), kNow);
  ASSERT_TRUE(claims.ok());
  EXPECT_EQ(claims->subject, "fan-1");
  EXPECT_FALSE(JwtSigner::FromSecret("too short").ok());
  EXPECT_FALSE(JwtSigner::FromSecret("-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYI\n").ok());
}

TEST(JwtTest, AcceptsTheExampleOfRfc7515) {
  const auto verifier = JwtVerifier::FromJwks(
      R"({"keys":[{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0i)"
      R"(PS4hcgUuTwjAzZr1Z9CAow"}]})");
  ASSERT_TRUE(verifier.ok());
  const std::string token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
      "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  EXPECT_EQ(verifier->Verify(token, TimeFromMillis(1'300'819'380'000)).error(), JwtFailure::kNoSubject);
  EXPECT_EQ(verifier->Verify(token, kNow).error(), JwtFailure::kExpired);
}

TEST(JwtTest, TimesAllowAMinuteOfClockSkew) {
  const auto verifier = JwtVerifier::FromKey(kSecret);
  EXPECT_TRUE(verifier->Verify(Hs256(R"({"sub":"a","exp":1699999941})"), kNow).ok());
  EXPECT_EQ(FailureOf(*verifier, Hs256(R"({"sub":"a","exp":1699999940})")), JwtFailure::kExpired);
  EXPECT_TRUE(verifier->Verify(Hs256(R"({"sub":"a","exp":1700000100,"nbf":1700000060})"), kNow).ok());
  EXPECT_EQ(FailureOf(*verifier, Hs256(R"({"sub":"a","exp":1700000100,"nbf":1700000061})")),
            JwtFailure::kNotYetValid);
  EXPECT_EQ(FailureOf(*verifier, Hs256(R"({"sub":"a","exp":"soon"})")), JwtFailure::kMalformed);
  EXPECT_EQ(FailureOf(*verifier, Hs256(R"({"sub":"a","exp":-1})")), JwtFailure::kMalformed);
}

TEST(JwtTest, TokenWithoutAnExpiryIsRefused) {
  const auto verifier = JwtVerifier::FromKey(kSecret);
  EXPECT_EQ(FailureOf(*verifier, Hs256(R"({"sub":"a"})")), JwtFailure::kNoExpiry);
  EXPECT_EQ(FailureOf(*verifier, Hs256(R"({"sub":"a","exp":null})")), JwtFailure::kMalformed);
}

TEST(JwtTest, IssuerAndAudienceAreCheckedWhereTheyAreExpected) {
  auto verifier = JwtVerifier::FromKey(kSecret);
  verifier->Expect({.issuer = "shop", .audience = "tickets"});
  const auto with = [](std::string_view claims) {
    return Hs256(fmt::format(R"({{"sub":"a","exp":1700000100{}}})", claims));
  };
  EXPECT_TRUE(verifier->Verify(with(R"(,"iss":"shop","aud":"tickets")"), kNow).ok());
  EXPECT_TRUE(verifier->Verify(with(R"(,"iss":"shop","aud":["news","tickets"])"), kNow).ok());
  EXPECT_EQ(FailureOf(*verifier, with("")), JwtFailure::kWrongIssuer);
  EXPECT_EQ(FailureOf(*verifier, with(R"(,"iss":"shop ","aud":"tickets")")), JwtFailure::kWrongIssuer);
  EXPECT_EQ(FailureOf(*verifier, with(R"(,"iss":"shop")")), JwtFailure::kWrongAudience);
  EXPECT_EQ(FailureOf(*verifier, with(R"(,"iss":"shop","aud":["news"])")), JwtFailure::kWrongAudience);
  EXPECT_EQ(FailureOf(*verifier, with(R"(,"iss":"shop","aud":7)")), JwtFailure::kWrongAudience);
}

TEST(JwtTest, TheAlgorithmBelongsToTheKey) {
  const auto key = SigningKey::Generate();
  const auto jwks = "{\"keys\":[" + key.PublicKey().ToJwk() + "]}";
  const auto verifier = JwtVerifier::FromJwks(jwks);
  ASSERT_TRUE(verifier.ok());
  const auto good = Signed(R"({"alg":"ES256"})", R"({"sub":"a","exp":1700000100})", key);
  EXPECT_TRUE(verifier->Verify(good, kNow).ok());
  // Forged tokens: the algorithm "none", and the public key abused as an HMAC secret.
  EXPECT_EQ(FailureOf(*verifier, EncodeBase64Url(R"({"alg":"none"})") + "." +
                                     EncodeBase64Url(R"({"sub":"a","exp":1700000100})") + "."),
            JwtFailure::kUnknownKey);
  EXPECT_EQ(FailureOf(*verifier, Signed(R"({"alg":"HS256"})", R"({"sub":"a","exp":1700000100})",
                                        HmacSha256(key.PublicKey().x()))),
            JwtFailure::kUnknownKey);
  EXPECT_EQ(FailureOf(*verifier, Signed(R"({"alg":"ES256"})", R"({"sub":"a","exp":1700000100})",
                                        SigningKey::Generate())),
            JwtFailure::kBadSignature);
}

TEST(JwtTest, KeyIsSelectedByKeyId) {
  const auto one = SigningKey::Generate();
  const auto two = SigningKey::Generate();
  const auto verifier =
      JwtVerifier::FromJwks(fmt::format(R"({{"keys":[{},{{"kty":"OKP","crv":"Ed25519"}},{}]}})",
                                        one.PublicKey().ToJwk(), two.PublicKey().ToJwk()));
  ASSERT_TRUE(verifier.ok());
  const auto header = fmt::format(R"({{"alg":"ES256","kid":"{}"}})", two.KeyId());
  EXPECT_TRUE(verifier->Verify(Signed(header, R"({"sub":"a","exp":1700000100})", two), kNow).ok());
  EXPECT_EQ(FailureOf(*verifier, Signed(header, R"({"sub":"a","exp":1700000100})", one)),
            JwtFailure::kBadSignature);
  EXPECT_EQ(FailureOf(*verifier, Signed(R"({"alg":"ES256"})", R"({"sub":"a","exp":1700000100})", one)),
            JwtFailure::kUnknownKey);
  EXPECT_EQ(
      FailureOf(*verifier, Signed(R"({"alg":"ES256","kid":"x"})", R"({"sub":"a","exp":1700000100})", one)),
      JwtFailure::kUnknownKey);
}

TEST(JwtTest, RefusesMalformedTokens) {
  const auto verifier = JwtVerifier::FromKey(kSecret);
  const auto good = Hs256(R"({"sub":"a","exp":1700000100})");
  for (const auto& token :
       {std::string(), std::string("."), std::string(".."), std::string("a.b"), "x" + good, good + ".",
        good + "=", std::string(9000, 'a'),
        Signed(R"({"alg":"HS256","crit":["x"]})", R"({"sub":"a","exp":1700000100})", HmacSha256(kSecret))}) {
    EXPECT_FALSE(verifier->Verify(token, kNow).ok()) << token;
  }
  EXPECT_EQ(FailureOf(*verifier, Hs256("[]")), JwtFailure::kMalformed);
  EXPECT_EQ(FailureOf(*verifier, Hs256(R"({"sub":7,"exp":1700000100})")), JwtFailure::kNoSubject);
}

TEST(JwtTest, AnyChangedByteIsRefused) {
  const auto verifier = JwtVerifier::FromKey(kSecret);
  const auto good = Hs256(R"({"sub":"a","exp":1700000100})");
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto changed = good;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verifier->Verify(changed, kNow).ok()) << i;
  }
}

TEST(JwtTest, AShortSecretAndAPrivateKeyAreRefused) {
  EXPECT_FALSE(JwtVerifier::FromKey("short").ok());
  EXPECT_FALSE(JwtVerifier::FromKey(SigningKey::Generate().ToPem()).ok());
  EXPECT_FALSE(JwtVerifier::FromJwks("{}").ok());
  EXPECT_FALSE(JwtVerifier::FromJwks(R"({"keys":[]})").ok());
}

}  // namespace
}  // namespace maejin
