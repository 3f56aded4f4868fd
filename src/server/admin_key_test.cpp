#include "server/admin_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/ip/address.hpp>

#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Get;
using ::testing::HasSubstr;

std::string Bearer(const std::string& key) { return "Bearer " + key; }

class AdminGateTest : public ::testing::Test {
 protected:
  AdminVerdict Try(const std::string& key, const char* client = "203.0.113.7") {
    return gate_.Check(Bearer(key), client, now_, identity_);
  }
  // Sends as many different wrong keys as an address may send without being limited.
  void TryWrongKeys(const char* client = "203.0.113.7") {
    for (std::uint32_t i = 0; i < AdminGate::kAttempts; ++i) {
      ASSERT_EQ(Try("wrong" + std::to_string(i), client), AdminVerdict::kRefused) << i;
    }
  }

  Metrics metrics_;
  OperatorIdentity identity_;
  AdminGate gate_{AdminKey("right"), metrics_};
  AdminGate::TimePoint now_{std::chrono::seconds{1000}};
};

TEST_F(AdminGateTest, AnAddressWithManyWrongKeysIsRefusedUntilItsWindowEnds) {
  TryWrongKeys();
  EXPECT_EQ(Try("one more"), AdminVerdict::kTooManyAttempts);
  EXPECT_EQ(Try("right"), AdminVerdict::kTooManyAttempts) << "a guess that hits is not told";
  EXPECT_EQ(Try("right", "203.0.113.8"), AdminVerdict::kAccepted) << "another address";
  now_ += AdminGate::kWindow;
  EXPECT_EQ(Try("right"), AdminVerdict::kAccepted);
}

TEST_F(AdminGateTest, ANetworkOfIpv6CountsAsOneAddress) {
  TryWrongKeys("2001:db8::1");
  EXPECT_EQ(Try("one more", "2001:db8::2"), AdminVerdict::kTooManyAttempts);
  EXPECT_EQ(Try("right", "2001:db8:0:1::1"), AdminVerdict::kAccepted);
}

TEST_F(AdminGateTest, AClientThatRepeatsOneWrongKeyOrNoneIsNotLimited) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(Try("old key"), AdminVerdict::kRefused);
    EXPECT_EQ(gate_.Check("", "203.0.113.7", now_, identity_), AdminVerdict::kRefused);
  }
  EXPECT_EQ(Try("right"), AdminVerdict::kAccepted);
}

TEST_F(AdminGateTest, AttemptsOfManyAddressesAreForgottenInsteadOfFillingMemory) {
  for (int i = 0; i < 20'000; ++i) {
    const auto client = boost::asio::ip::make_address_v4(0x0a000000U + static_cast<unsigned>(i)).to_string();
    ASSERT_EQ(Try("wrong", client.c_str()), AdminVerdict::kRefused);
  }
  EXPECT_EQ(Try("right"), AdminVerdict::kAccepted);
}

TEST(AdminKeyOverHttp, ManyWrongKeysAre429WithRetryAfterAndCounted) {
  ToyServer toy;
  auto client = toy.Connect();
  const auto ask = [&](const std::string& key) {
    return client.Ask(Get("/admin", "Authorization: " + Bearer(key) + "\r\n"))->status;
  };
  for (std::uint32_t i = 0; i < AdminGate::kAttempts; ++i) EXPECT_EQ(ask("wrong" + std::to_string(i)), 401);
  const auto limited = client.Ask(Get("/admin", "Authorization: Bearer another\r\n"));
  EXPECT_EQ(limited->status, 429);
  EXPECT_GE(std::stoi(limited->Header("Retry-After")), 30);
  EXPECT_EQ(ask("secret"), 429);
  EXPECT_EQ(toy.Ask(Get("/hello")).status, 200);
  EXPECT_THAT(toy.metrics().Text(), HasSubstr("maejin_admin_wrong_keys_total 21\n"));
  EXPECT_THAT(toy.metrics().Text(), HasSubstr("maejin_admin_limited_total 1\n"));
}

}  // namespace
}  // namespace maejin::http
