#include "server/tls_tickets.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maejin::http {
namespace {

std::unique_ptr<const KeyRing::Keys> KeysOf(std::vector<std::string> texts) {
  auto keys = std::make_unique<KeyRing::Keys>();
  std::uint32_t number = 9;
  for (const auto& text : texts) keys->macs.push_back({number--, HmacSha256(text)});
  keys->signers.push_back(SigningKey::Generate());
  keys->signer_ids.push_back(keys->signers.front().KeyId());
  return keys;
}

bool Opens(const std::vector<Digest>& all, const Digest& sealed) {
  return std::find(all.begin(), all.end(), sealed) != all.end();
}

constexpr Time kNoon = TimeFromMillis(1'800'000'000'000);

TEST(TlsTicketsTest, TicketOpensForAPeriodAndNotAfterTheNext) {
  const KeyRing keys(KeysOf({"one"}));
  const auto sealed = TicketSecretsAt(keys, kNoon).front();
  EXPECT_TRUE(Opens(TicketSecretsAt(keys, kNoon + kTicketPeriod), sealed));
  EXPECT_NE(TicketSecretsAt(keys, kNoon + kTicketPeriod).front(), sealed);
  EXPECT_FALSE(Opens(TicketSecretsAt(keys, kNoon + 2 * kTicketPeriod), sealed));
}

TEST(TlsTicketsTest, NodesWithTheSameKeysOpenEachOthersTickets) {
  const KeyRing one(KeysOf({"shared"}));
  const KeyRing other(KeysOf({"shared"}));
  const KeyRing foreign(KeysOf({"foreign"}));
  const auto sealed = TicketSecretsAt(one, kNoon).front();
  EXPECT_TRUE(Opens(TicketSecretsAt(other, kNoon), sealed));
  EXPECT_FALSE(Opens(TicketSecretsAt(foreign, kNoon), sealed));
}

TEST(TlsTicketsTest, RotatedSigningKeySealsAndTheKeptOneStillOpens) {
  const KeyRing before(KeysOf({"old"}));
  const KeyRing after(KeysOf({"new", "old"}));
  const KeyRing removed(KeysOf({"new"}));
  const auto sealed = TicketSecretsAt(before, kNoon).front();
  EXPECT_NE(TicketSecretsAt(after, kNoon).front(), sealed);
  EXPECT_TRUE(Opens(TicketSecretsAt(after, kNoon), sealed));
  EXPECT_FALSE(Opens(TicketSecretsAt(removed, kNoon), sealed));
}

}  // namespace
}  // namespace maejin::http
