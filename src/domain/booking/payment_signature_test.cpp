#include "domain/booking/payment_signature.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr Time kSignatureNow = TimeFromMillis(1'767'225'600'000);
constexpr std::string_view kSent = "1767225600";
constexpr std::string_view kBody = R"({"eventId":"e1"})";

// openssl dgst -sha256 -hmac secret, over "1767225600.{"eventId":"e1"}".
constexpr std::string_view kKnown = "7b00e40e6d34b735519de1e327df4be20bc64b6e33067f2cc4742274ff960f68";

TEST(PaymentSignature, IsHmacSha256OverTimeDotBody) {
  const PaymentSignature signature({"secret"});
  EXPECT_EQ(signature.Sign(kSent, kBody), kKnown);
  EXPECT_TRUE(signature.Verify(kSent, kKnown, kBody, kSignatureNow).ok());
}

TEST(PaymentSignature, SignatureOfAnotherSecretIsRefused) {
  const PaymentSignature signature({"secret"});
  const auto forged = PaymentSignature({"Secret"}).Sign(kSent, kBody);
  EXPECT_EQ(signature.Verify(kSent, forged, kBody, kSignatureNow).error(), Refusal::kSignatureInvalid);
  EXPECT_EQ(signature.Verify(kSent, kKnown, "{}", kSignatureNow).error(), Refusal::kSignatureInvalid);
  EXPECT_EQ(signature.Verify("1767225601", kKnown, kBody, kSignatureNow).error(), Refusal::kSignatureInvalid);
  for (const std::string_view text : {std::string_view(), kKnown.substr(2), std::string_view("zz")}) {
    EXPECT_EQ(signature.Verify(kSent, text, kBody, kSignatureNow).error(), Refusal::kSignatureInvalid)
        << text;
  }
}

TEST(PaymentSignature, IsGoodForFiveMinutesOnEitherSide) {
  const PaymentSignature signature({"secret"});
  const auto verify = [&](Seconds later) {
    return signature.Verify(kSent, kKnown, kBody, kSignatureNow + later);
  };
  EXPECT_TRUE(verify(Seconds{300}).ok());
  EXPECT_TRUE(verify(Seconds{-300}).ok());
  EXPECT_EQ(verify(Seconds{301}).error(), Refusal::kSignatureExpired);
  EXPECT_EQ(verify(Seconds{-301}).error(), Refusal::kSignatureExpired);
}

TEST(PaymentSignature, ATimeThatIsNoneIsRefusedEvenWhenSigned) {
  const PaymentSignature signature({"secret"});
  for (const std::string_view time : {"", "soon", "1767225600.0", "99999999999999999999"}) {
    const auto signed_by_us = signature.Sign(time, kBody);
    EXPECT_EQ(signature.Verify(time, signed_by_us, kBody, kSignatureNow).error(), Refusal::kSignatureInvalid)
        << time;
  }
}

TEST(PaymentSignature, AcceptsTheOldSecretWhileTheNewOneSigns) {
  const PaymentSignature old_one({"old"});
  const PaymentSignature both({"new", "old"});
  EXPECT_TRUE(both.Verify(kSent, old_one.Sign(kSent, kBody), kBody, kSignatureNow).ok());
  EXPECT_EQ(old_one.Verify(kSent, both.Sign(kSent, kBody), kBody, kSignatureNow).error(),
            Refusal::kSignatureInvalid);
}

}  // namespace
}  // namespace maejin
