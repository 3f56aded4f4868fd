#include "adapters/mysql/idempotency_store.h"

#include <gtest/gtest.h>

#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

using Kind = IdempotencyBegin::Kind;

// Two nodes on one database.
class MysqlIdempotencyStoreTest : public testing::Test {
 protected:
  MysqlIdempotencyStoreTest() {
    Connection connection(server_);
    Migrate(connection);
  }
  static IdempotentRequest Named(const std::string& key, const std::string& body = "body") {
    return {Sha256(key), Sha256(body)};
  }
  Kind Begin(MysqlIdempotencyStore& node, const IdempotentRequest& request) {
    return RunTask(node.Begin(request, now_))->kind;
  }
  // Whatever was sent and not waited for has been done.
  void Settle() {
    ASSERT_TRUE(
        RunTask(pool_.Write([](Connection&, const Attempt&) -> Outcome<Done> { return Done{}; })).ok());
  }

  Time now_ = TimeFromMillis(1'767'225'600'000);
  ServerOptions server_ = testing_support::FreshDatabase();
  SystemRandom random_;
  Pool pool_{server_, {1, 64, Seconds{60}}};
  MysqlIdempotencyStore here_{pool_, random_};
  MysqlIdempotencyStore there_{pool_, random_};
};

TEST_F(MysqlIdempotencyStoreTest, AnotherNodeRepeatsTheFirstOnesAnswer) {
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kNew);
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kRunning);
  ASSERT_TRUE(RunTask(here_.Finish(Named("a"), {201, "Location: /x\r\n", "{\"곡\":1}"})).ok());
  const auto again = RunTask(there_.Begin(Named("a"), now_));
  ASSERT_EQ(again->kind, Kind::kReplay);
  EXPECT_EQ(again->answer->status, 201);
  EXPECT_EQ(again->answer->extra_headers, "Location: /x\r\n");
  EXPECT_EQ(again->answer->body, "{\"곡\":1}");
}

TEST_F(MysqlIdempotencyStoreTest, TheSameKeyWithAnotherBodyIsAMismatch) {
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kNew);
  EXPECT_EQ(Begin(there_, Named("a", "another")), Kind::kMismatch);
}

TEST_F(MysqlIdempotencyStoreTest, AnAbandonedKeyMayBeUsedAgain) {
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kNew);
  here_.Abandon(Named("a"));
  Settle();
  EXPECT_EQ(Begin(there_, Named("a", "another")), Kind::kNew);
}

TEST_F(MysqlIdempotencyStoreTest, TheKeyOfANodeThatDiedIsFreeAfterAMinute) {
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kNew);
  now_ += kRequestRunsAtMost - Millis{1};
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kRunning);
  now_ += Millis{1};
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kNew);
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kRunning) << "it is the other node's now";
}

TEST_F(MysqlIdempotencyStoreTest, AnAnswerEndsAfterADay) {
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kNew);
  ASSERT_TRUE(RunTask(here_.Finish(Named("a"), {200, "", "{}"})).ok());
  now_ += kIdempotencyKept + Millis{1};
  here_.Forget(now_);
  Connection connection(server_);
  EXPECT_FALSE(connection.Query("SELECT 1 FROM idempotency").Next());
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kNew);
}

}  // namespace
}  // namespace maejin::mysql
