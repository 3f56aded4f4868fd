#include "adapters/mysql/webhook_store.h"

#include <gtest/gtest.h>

#include <optional>

#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

constexpr Time kStoredAt = TimeFromMillis(1'767'225'600'123);
constexpr Millis kLong{60'000};

class MysqlWebhookStoreTest : public testing::Test {
 protected:
  MysqlWebhookStoreTest() {
    Migrate(connection_);
    pool_.emplace(server_, PoolOptions{4, 64, Seconds{60}});
    store_.emplace(*pool_);
    Webhook webhook;
    webhook.url = "https://hooks.example/";
    webhook.types = {"*"};
    webhook.secret = "whsec_x";
    id_ = RunTask(store_->Create(webhook, {"admin", kStoredAt}))->id;
  }
  std::vector<Webhook> Lease(const char* sender, Millis ttl = kLong) {
    return RunTask(store_->Lease(sender, ttl))->webhooks;
  }
  bool Save(std::int64_t lease, std::int64_t cursor) {
    return *RunTask(store_->Save(id_, lease, {.cursor = cursor}, kStoredAt));
  }
  std::int64_t Cursor() { return RunTask(store_->Find(id_))->progress.cursor; }
  void EndLeases() { connection_.Execute("UPDATE webhooks SET leased_until = UTC_TIMESTAMP(3)"); }

  ServerOptions server_ = testing_support::FreshDatabase();
  Connection connection_{server_};
  std::optional<Pool> pool_;
  std::optional<MysqlWebhookStore> store_;
  WebhookId id_ = 0;
};

TEST_F(MysqlWebhookStoreTest, OneSenderHasAnEndpointUntilItsLeaseEnds) {
  const auto first = Lease("a");
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(Lease("b").empty());
  ASSERT_EQ(Lease("a").size(), 1U);
  EXPECT_EQ(Lease("a")[0].lease, first[0].lease) << "renewed, not taken";
  EndLeases();
  const auto second = Lease("b");
  ASSERT_EQ(second.size(), 1U);
  EXPECT_GT(second[0].lease, first[0].lease);
  EXPECT_TRUE(Lease("a").empty());
}

TEST_F(MysqlWebhookStoreTest, SenderThatLostItsLeaseWritesNothing) {
  const auto old = Lease("a")[0].lease;
  EXPECT_TRUE(Save(old, 5));
  EndLeases();
  const auto taken = Lease("b");
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].progress.cursor, 5) << "goes on where the other one stopped";
  EXPECT_TRUE(Save(taken[0].lease, 9));
  EXPECT_FALSE(Save(old, 6));
  EXPECT_EQ(Cursor(), 9);
}

TEST_F(MysqlWebhookStoreTest, OperatorsCursorIsNotOverwritten) {
  const auto lease = Lease("a")[0].lease;
  ASSERT_TRUE(RunTask(store_->Change(id_, {.after = 2}, {"admin", kStoredAt})));
  EXPECT_FALSE(Save(lease, 7));
  EXPECT_EQ(Cursor(), 2);
  EXPECT_EQ(Lease("b").size(), 1U) << "free at once";
}

TEST_F(MysqlWebhookStoreTest, ReleasedEndpointIsFreeAtOnce) {
  ASSERT_EQ(Lease("a").size(), 1U);
  ASSERT_TRUE(RunTask(store_->Release("a")));
  EXPECT_EQ(Lease("b").size(), 1U);
}

TEST_F(MysqlWebhookStoreTest, DisabledEndpointIsLeasedToNoSender) {
  const auto lease = Lease("a")[0].lease;
  ASSERT_TRUE(*RunTask(store_->Save(id_, lease, {.disabled = "gone"}, kStoredAt)));
  EXPECT_TRUE(Lease("a").empty());
  EXPECT_EQ(RunTask(store_->Resend(id_, 1, {"admin", kStoredAt})).error(), Refusal::kWebhookDisabled);
}

}  // namespace
}  // namespace maejin::mysql
