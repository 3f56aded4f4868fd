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
  static IdempotentRequest Named(const std::string& key, const std::string& body = "body",
                                 const std::string& caller = "fan") {
    return {.id = Sha256(caller + key), .fingerprint = Sha256(body), .caller = Sha256(caller)};
  }
  // Remembers the attempt in `request`, as a caller does.
  Kind Begin(MysqlIdempotencyStore& node, IdempotentRequest&& request) { return Begin(node, request); }
  Kind Begin(MysqlIdempotencyStore& node, IdempotentRequest& request) {
    const auto begun = RunTask(node.Begin(request, now_));
    request.attempt = begun->attempt;
    return begun->kind;
  }
  // No request reaches the table between Break() and Mend().
  void Break() { Connection(server_).Command("RENAME TABLE idempotency_keys TO hidden_keys"); }
  void Mend() { Connection(server_).Command("RENAME TABLE hidden_keys TO idempotency_keys"); }
  // Waits until all writes that were sent without a waiting caller are done.
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

TEST_F(MysqlIdempotencyStoreTest, RequestRepeatedOnAnotherNodeGetsTheFirstAnswer) {
  auto request = Named("a");
  EXPECT_EQ(Begin(here_, request), Kind::kNew);
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kRunning);
  ASSERT_TRUE(RunTask(here_.Finish(request, {201, "Location: /x\r\n", "{\"곡\":1}"})).ok());
  const auto again = RunTask(there_.Begin(Named("a"), now_));
  ASSERT_EQ(again->kind, Kind::kReplay);
  EXPECT_EQ(again->answer->status, 201);
  EXPECT_EQ(again->answer->extra_headers, "Location: /x\r\n");
  EXPECT_EQ(again->answer->body, "{\"곡\":1}");
}

TEST_F(MysqlIdempotencyStoreTest, KeyWithAnotherBodyIsAMismatch) {
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kNew);
  EXPECT_EQ(Begin(there_, Named("a", "another")), Kind::kMismatch);
}

TEST_F(MysqlIdempotencyStoreTest, AbandonedKeyMayBeUsedAgain) {
  auto request = Named("a");
  EXPECT_EQ(Begin(here_, request), Kind::kNew);
  here_.Abandon(request);
  Settle();
  EXPECT_EQ(Begin(there_, Named("a", "another")), Kind::kNew);
}

TEST_F(MysqlIdempotencyStoreTest, KeyOfARequestThatFailedInAnOutageIsFreeWhenItIsOver) {
  auto request = Named("a");
  EXPECT_EQ(Begin(here_, request), Kind::kNew);
  Break();
  here_.Abandon(request);
  Settle();
  here_.RetryUnwritten();
  Mend();
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kRunning) << "control: the database knows nothing of the end";
  here_.RetryUnwritten();
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kNew);
}

TEST_F(MysqlIdempotencyStoreTest, AnswerThatAnOutageKeptFromTheDatabaseIsReplayedAfterwards) {
  auto request = Named("a");
  EXPECT_EQ(Begin(here_, request), Kind::kNew);
  Break();
  EXPECT_FALSE(RunTask(here_.Finish(request, {201, "", "{}"})).ok());
  Mend();
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kRunning) << "control: the database knows nothing of the end";
  here_.RetryUnwritten();
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kReplay);
}

TEST_F(MysqlIdempotencyStoreTest, KeyOfADeadNodeIsFreeAfterItsLease) {
  auto lost = Named("a");
  EXPECT_EQ(Begin(here_, lost), Kind::kNew);
  now_ += kFanLease - Millis{1};
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kRunning);
  now_ += Millis{1};
  auto taken = Named("a");
  EXPECT_EQ(Begin(there_, taken), Kind::kNew);
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kRunning) << "the other node has the key now";
  here_.Abandon(lost);
  Settle();
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kRunning) << "the first run no longer decides";
  ASSERT_TRUE(RunTask(there_.Finish(taken, {200, "", "second"})).ok());
  EXPECT_EQ(Begin(here_, Named("a")), Kind::kReplay);
}

TEST_F(MysqlIdempotencyStoreTest, OperatorRequestOfADeadNodeIsInterruptedAndNeverRunAgain) {
  auto request = Named("a");
  request.announced = true;
  EXPECT_EQ(Begin(here_, request), Kind::kNew);
  now_ += kOperatorLease - Millis{1};
  EXPECT_EQ(Begin(there_, request), Kind::kRunning);
  now_ += Millis{1};
  EXPECT_EQ(Begin(there_, request), Kind::kInterrupted);
  now_ += std::chrono::hours{23};
  EXPECT_EQ(Begin(there_, request), Kind::kInterrupted);
}

TEST_F(MysqlIdempotencyStoreTest, AnswerEndsAfterADay) {
  auto request = Named("a");
  EXPECT_EQ(Begin(here_, request), Kind::kNew);
  ASSERT_TRUE(RunTask(here_.Finish(request, {200, "", "{}"})).ok());
  now_ += kIdempotencyKept + Millis{1};
  here_.Forget(now_);
  Connection connection(server_);
  EXPECT_FALSE(connection.Query("SELECT 1 FROM idempotency_keys").Next());
  EXPECT_EQ(Begin(there_, Named("a")), Kind::kNew);
}

TEST_F(MysqlIdempotencyStoreTest, CallerBeyondItsQuotaIsRefusedOnEveryNodeAndOthersAreNot) {
  const auto limited = [](const std::string& key, const std::string& caller) {
    auto request = Named(key, "body", caller);
    request.quota = 3;
    return request;
  };
  for (const char* key : {"1", "2", "3"}) {
    auto request = limited(key, "greedy");
    EXPECT_EQ(Begin(here_, request), Kind::kNew);
    ASSERT_TRUE(RunTask(here_.Finish(request, {201, "", "{}"})).ok());
  }
  const auto refused = RunTask(there_.Begin(limited("4", "greedy"), now_));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), Refusal::kTooManyRequests);
  EXPECT_EQ(Begin(there_, limited("2", "greedy")), Kind::kReplay);
  EXPECT_EQ(Begin(there_, limited("4", "modest")), Kind::kNew);
  auto unlimited = limited("4", "greedy");
  unlimited.quota = kKeysUnlimited;
  EXPECT_EQ(Begin(there_, unlimited), Kind::kNew);
}

}  // namespace
}  // namespace maejin::mysql
