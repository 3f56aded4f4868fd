#include "http/identity.h"

#include <gtest/gtest.h>

#include <map>

namespace maejin::http {
namespace {

class FakeHeaders final : public Headers {
 public:
  using Values = std::map<std::string, std::string>;
  explicit FakeHeaders(Values values) : values_(std::move(values)) {}
  std::string_view Find(std::string_view name) const override {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? std::string_view{} : std::string_view(found->second);
  }

 private:
  Values values_;
};

Request With(const FakeHeaders& headers) {
  Request request;
  request.headers = &headers;
  return request;
}

const std::string kSecret = "a secret that is at least 32 bytes";

std::string TokenOf(const std::string& payload) {
  const auto message = EncodeBase64Url(R"({"alg":"HS256"})") + "." + EncodeBase64Url(payload);
  return message + "." + EncodeBase64Url(AsText(HmacSha256(kSecret).Mac(message)));
}

TEST(IdentityTest, TrustedUserIsNamedInTheBodyOrTheHeader) {
  const auto identity = MakeTrustedIdentity();
  const FakeHeaders headers(FakeHeaders::Values{{"X-User-Id", "header-fan"}});
  EXPECT_EQ(*identity->Require(With(headers)), "header-fan");
  EXPECT_EQ(*identity->Require(With(headers), "header-fan"), "header-fan");
  EXPECT_EQ(identity->Require(With(headers), "body-fan").error(), Refusal::kInvalidField)
      << "which of the two?";
  const FakeHeaders none(FakeHeaders::Values{});
  EXPECT_EQ(*identity->Require(With(none), "body-fan"), "body-fan");
  EXPECT_EQ(identity->Require(With(none)).error(), Refusal::kUnauthorized);
  EXPECT_FALSE(identity->Find(With(none))->has_value());
  EXPECT_EQ(identity->Require(With(none), "").error(), Refusal::kInvalidField);
}

TEST(IdentityTest, UserIdIsShortPrintableUtf8) {
  EXPECT_TRUE(IsUserId("팬-1"));
  EXPECT_TRUE(IsUserId(std::string(128, 'a')));
  EXPECT_FALSE(IsUserId(std::string(129, 'a')));
  EXPECT_FALSE(IsUserId(""));
  EXPECT_FALSE(IsUserId("a\nb"));
  EXPECT_FALSE(IsUserId("\xff"));
}

class SignedIdentityTest : public ::testing::Test {
 protected:
  Outcome<UserId> Ask(const std::string& token, std::optional<std::string_view> named = {}) {
    const FakeHeaders headers(
        FakeHeaders::Values{{"Authorization", "Bearer " + token}, {"X-User-Id", "mallory"}});
    return identity_->Require(With(headers), named);
  }
  VirtualClock clock_{TimeFromMillis(1'700'000'000'000)};
  std::unique_ptr<Identity> identity_ = MakeSignedIdentity(std::move(*JwtVerifier::FromKey(kSecret)), clock_);
};

TEST_F(SignedIdentityTest, TokenNamesTheUser) {
  EXPECT_EQ(*Ask(TokenOf(R"({"sub":"fan","exp":1700000100})")), "fan");
  EXPECT_EQ(*Ask(TokenOf(R"({"sub":"fan","exp":1700000100})"), "fan"), "fan");
}

TEST_F(SignedIdentityTest, NamingAnotherUserIsRefused) {
  EXPECT_EQ(Ask(TokenOf(R"({"sub":"fan","exp":1700000100})"), "mallory").error(), Refusal::kForbidden);
  const FakeHeaders unproven(FakeHeaders::Values{{"X-User-Id", "mallory"}});
  EXPECT_EQ(identity_->Require(With(unproven)).error(), Refusal::kUnauthorized);
  EXPECT_EQ(identity_->Find(With(unproven), "mallory").error(), Refusal::kUnauthorized);
  EXPECT_FALSE(identity_->Find(With(unproven))->has_value());
}

TEST_F(SignedIdentityTest, CachedTokenStillExpires) {
  const auto token = TokenOf(R"({"sub":"fan","exp":1700000010})");
  EXPECT_TRUE(Ask(token).ok());
  EXPECT_TRUE(Ask(token).ok());
  clock_.Advance(Seconds{75});
  EXPECT_EQ(Ask(token).error(), Refusal::kUnauthorized);
}

TEST_F(SignedIdentityTest, ForgedTokenIsNeverCached) {
  auto forged = TokenOf(R"({"sub":"fan","exp":1700000100})");
  forged.back() = forged.back() == 'A' ? 'E' : 'A';
  EXPECT_EQ(Ask(forged).error(), Refusal::kUnauthorized);
  EXPECT_EQ(Ask(forged).error(), Refusal::kUnauthorized);
}

}  // namespace
}  // namespace maejin::http
