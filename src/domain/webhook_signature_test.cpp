#include "domain/webhook_signature.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr Time kAt = TimeFromMillis(1'674'087'231'999);

Event MakeEvent() {
  return ParseEvent(
      R"({"id":42,"type":"room.opened","time":"2027-05-01T10:00:03.120Z","subject":"room","data":{"a":1}})");
}

TEST(WebhookSecret, IsPrefixAndBase64OfThirtyTwoBytes) {
  SeededRandom random(1);
  const auto secret = NewWebhookSecret(random);
  EXPECT_TRUE(secret.starts_with("whsec_"));
  EXPECT_EQ(secret.size(), 6U + 44U);
  EXPECT_EQ(secret.back(), '=');
  EXPECT_EQ(secret.find_first_of("-_", 6), std::string::npos);
  EXPECT_NE(secret, NewWebhookSecret(random));
}

TEST(WebhookSignature, CoversIdTimestampAndBody) {
  const auto webhook = SignWebhook(MakeEvent(), {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, kAt);
  EXPECT_EQ(webhook.id, "evt_42");
  EXPECT_EQ(webhook.timestamp, "1674087231");
  EXPECT_EQ(webhook.body, R"({"type":"room.opened","timestamp":"2027-05-01T10:00:03.120Z","data":{"a":1}})");
  // Computed with Python's hmac.
  EXPECT_EQ(webhook.signature, "v1,TGXItHi8tt2pdEeIwAecLNhtY62uAQnhTzgeBhOaOk0=");
}

TEST(WebhookSignature, EachSecretSigns) {
  SeededRandom random(1);
  const auto first = NewWebhookSecret(random);
  const auto second = NewWebhookSecret(random);
  const auto both = SignWebhook(MakeEvent(), {first, second}, kAt).signature;
  EXPECT_EQ(both, SignWebhook(MakeEvent(), {first}, kAt).signature + " " +
                      SignWebhook(MakeEvent(), {second}, kAt).signature);
}

}  // namespace
}  // namespace maejin
