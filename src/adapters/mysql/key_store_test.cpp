#include "adapters/mysql/key_store.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "adapters/mysql/migrations.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

class KeysInTheDatabase : public testing::Test {
 protected:
  KeysInTheDatabase() { Migrate(connection_); }
  void Rotate(KeyRing& ring, Seconds spread) {
    AddNewestKeys(connection_, random_, spread);
    EXPECT_TRUE(RefreshKeys(connection_, ring));
  }
  ServerOptions server_ = testing_support::FreshDatabase();
  Connection connection_{server_};
  SystemRandom random_;
};

TEST_F(KeysInTheDatabase, NodesThatStartTogetherHaveTheSameKeys) {
  std::mutex mutex;
  std::set<std::string> signers;
  std::vector<std::thread> nodes;
  std::vector<std::unique_ptr<KeyRing>> rings;
  for (int i = 0; i < 6; ++i) {
    nodes.emplace_back([&] {
      Connection connection(server_);
      auto ring = OpenKeys(connection, random_);
      const std::lock_guard lock(mutex);
      signers.insert(ring->keys()->signer_ids.front());
      rings.push_back(std::move(ring));
    });
  }
  for (auto& node : nodes) node.join();
  EXPECT_EQ(signers.size(), 1U);
  const auto mac = rings[0]->CurrentMac()->hmac.Mac("a token");
  for (const auto& ring : rings) EXPECT_TRUE(ring->CurrentMac()->hmac.Verify("a token", AsText(mac)));
}

TEST_F(KeysInTheDatabase, RotationReachesEveryNodeAndKeepsTokensValid) {
  const auto first = OpenKeys(connection_, random_);
  Connection elsewhere(server_);
  const auto second = OpenKeys(elsewhere, random_);
  const auto old_mac = first->CurrentMac()->short_number();
  const auto old_signer = first->keys()->signer_ids.front();
  Rotate(*first, Seconds{0});
  EXPECT_NE(first->keys()->signer_ids.front(), old_signer);
  EXPECT_TRUE(RefreshKeys(elsewhere, *second));
  EXPECT_FALSE(RefreshKeys(elsewhere, *second));
  EXPECT_EQ(second->keys()->signer_ids.front(), first->keys()->signer_ids.front());
  EXPECT_EQ(second->CurrentMac()->number, first->CurrentMac()->number);
  EXPECT_NE(second->FindMac(old_mac), nullptr);
  EXPECT_NE(second->FindSigner(old_signer), nullptr);
}

TEST_F(KeysInTheDatabase, RotationGoesOnBeyondTheNumbersOfATokensKeyByte) {
  const auto keys = OpenKeys(connection_, random_);
  connection_.Command("UPDATE signing_keys SET number = 254");
  for (std::uint32_t number = 255; number < 259; ++number) {
    Rotate(*keys, Seconds{0});
    EXPECT_EQ(keys->CurrentMac()->number, number);
    EXPECT_EQ(keys->FindMac(keys->CurrentMac()->short_number()), keys->CurrentMac());
    EXPECT_NE(keys->FindMac(static_cast<std::uint8_t>(number - 1)), nullptr)
        << "the key before it still verifies";
    EXPECT_FALSE(RefreshKeys(connection_, *keys));
  }
}

TEST_F(KeysInTheDatabase, NewKeyIsAcceptedBeforeItSigns) {
  const auto first = OpenKeys(connection_, random_);
  Connection elsewhere(server_);
  const auto second = OpenKeys(elsewhere, random_);
  Rotate(*first, Seconds{3600});
  EXPECT_TRUE(RefreshKeys(elsewhere, *second));
  EXPECT_FALSE(RefreshKeys(elsewhere, *second));
  EXPECT_EQ(first->CurrentMac()->number, 1U);
  EXPECT_EQ(second->CurrentMac()->number, 1U);
  EXPECT_NE(second->FindMac(2), nullptr) << "but every node accepts it already";
  connection_.Command("UPDATE signing_keys SET signs_at = UTC_TIMESTAMP(3)");
  EXPECT_TRUE(RefreshKeys(connection_, *first));
  EXPECT_EQ(first->CurrentMac()->number, 2U);
}

}  // namespace
}  // namespace maejin::mysql
