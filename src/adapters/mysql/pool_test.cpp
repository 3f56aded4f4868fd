#include "adapters/mysql/pool.h"

#include <gtest/gtest.h>

#include <latch>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/run_task.h"
#include "tests/support/await.h"
#include "tests/support/cutting_proxy.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

using testing_support::CuttingProxy;
using testing_support::FreshDatabase;
using testing_support::MariaDbServer;

// The timeout is long because connecting may be slow on a busy machine.
constexpr PoolOptions kTwo{2, 16, Seconds{60}};

ServerOptions Counters() {
  auto database = FreshDatabase();
  Connection connection(database);
  connection.Command("CREATE TABLE counters (id INT PRIMARY KEY, value BIGINT NOT NULL) ENGINE = InnoDB");
  connection.Execute("INSERT INTO counters VALUES (1, 0), (2, 0)");
  return database;
}

std::int64_t ValueOf(Connection& connection, int id) {
  auto rows = connection.Query("SELECT value FROM counters WHERE id = ?", id);
  rows.Next();
  return rows.Int(0);
}

Outcome<std::int64_t> Add(Connection& connection, int id) {
  return connection.Execute("UPDATE counters SET value = value + 1 WHERE id = ?", id);
}

TEST(MysqlPool, CommitsAValueAndRollsARefusalBack) {
  const auto database = Counters();
  Pool pool(database, kTwo);
  const auto done = RunTask(pool.Write([](Connection& c, const Attempt&) { return Add(c, 1); }));
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(*done, 1);
  const auto refused = RunTask(pool.Write([](Connection& c, const Attempt&) -> Outcome<std::int64_t> {
    Add(c, 1).value();
    return Refusal::kSoldOut;
  }));
  EXPECT_EQ(refused.error(), Refusal::kSoldOut);
  const auto value = RunTask(pool.Read([](Connection& c) -> Outcome<std::int64_t> { return ValueOf(c, 1); }));
  EXPECT_EQ(*value, 1);
}

TEST(MysqlPool, ResumesTheCoroutineOnItsOwnThread) {
  Pool pool(Counters(), kTwo);
  boost::asio::io_context context{1};
  const auto mine = std::this_thread::get_id();
  bool resumed_here = false, worked_here = true;
  const auto ask = [&]() -> Task<void> {
    const auto work = [&](Connection&) -> Outcome<Done> {
      worked_here = std::this_thread::get_id() == mine;
      return Done{};
    };
    const auto read = co_await pool.Read(work);
    resumed_here = read.ok() && std::this_thread::get_id() == mine;
  };
  boost::asio::co_spawn(context.get_executor(), ask(), boost::asio::detached);
  context.run();
  EXPECT_TRUE(resumed_here);
  EXPECT_FALSE(worked_here);
}

// Two transactions take two rows in opposite orders, each after the other has its first: one must be rolled
// back.
TEST(MysqlPool, DeadlockVictimIsRetried) {
  const auto database = Counters();
  Pool pool(database, kTwo);
  std::latch both(2);
  const auto cross = [&both](int first, int second) {
    return [&both, first, second](Connection& c, const Attempt& attempt) -> Outcome<Done> {
      Add(c, first).value();
      if (attempt.number == 1) both.arrive_and_wait();
      Add(c, second).value();
      return Done{};
    };
  };
  boost::asio::io_context context{1};
  int ok = 0;
  const auto run = [&](int first, int second) -> Task<void> {
    const auto done = co_await pool.Write(cross(first, second));
    ok += done.ok();
  };
  boost::asio::co_spawn(context.get_executor(), run(1, 2), boost::asio::detached);
  boost::asio::co_spawn(context.get_executor(), run(2, 1), boost::asio::detached);
  context.run();
  EXPECT_EQ(ok, 2);
  EXPECT_GE(pool.counts().conflicts, 1U);
  Connection reader(database);
  EXPECT_EQ(ValueOf(reader, 1), 2);
  EXPECT_EQ(ValueOf(reader, 2), 2);
}

TEST(MysqlPool, TransactionThatLostItsConnectionBeforeTheCommitIsRetried) {
  const auto database = Counters();
  Pool pool(database, kTwo);
  const auto done = RunTask(pool.Write([&](Connection& c, const Attempt& attempt) -> Outcome<bool> {
    Add(c, 1).value();
    if (attempt.number > 1) return attempt.commit_unknown;
    auto mine = c.Query("SELECT CONNECTION_ID()");
    mine.Next();
    const auto id = mine.Int(0);
    Connection(database).Command("KILL " + std::to_string(id));
    return attempt.commit_unknown;
  }));
  ASSERT_TRUE(done.ok());
  EXPECT_GE(pool.counts().losses, 1U);
  Connection reader(database);
  EXPECT_EQ(ValueOf(reader, 1), 1);
}

class LostAnswer : public testing::TestWithParam<bool> {};

// The effect of the write has an id: the second attempt looks it up and does not repeat it.
TEST_P(LostAnswer, ACommitWithoutAnAnswerHappensExactlyOnce) {
  auto database = Counters();
  const auto direct = database;
  CuttingProxy proxy(database.port);
  database.port = static_cast<std::uint16_t>(proxy.port());
  Pool pool(database, kTwo);
  proxy.CutNext("\3COMMIT", GetParam());  // the protocol sends a query as the byte 3 and its text
  bool was_unknown = false, found = false;
  const auto done = RunTask(pool.Write([&](Connection& c, const Attempt& attempt) -> Outcome<Done> {
    if (attempt.commit_unknown) {
      was_unknown = true;
      auto rows = c.Query("SELECT 1 FROM counters WHERE id = 77 FOR UPDATE");
      found = rows.Next();
      if (found) return Done{};
    }
    c.Execute("INSERT INTO counters VALUES (77, 0)");
    Add(c, 1).value();
    return Done{};
  }));
  EXPECT_TRUE(done.ok());
  EXPECT_TRUE(was_unknown);
  EXPECT_EQ(found, !GetParam()) << "the commit reached the server unless the connection was cut before";
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(pool.counts().unknown_commits, 1U);
  Connection reader(direct);
  EXPECT_EQ(ValueOf(reader, 1), 1);
}

INSTANTIATE_TEST_SUITE_P(MysqlPool, LostAnswer, testing::Values(false, true));

TEST(MysqlPool, RefusesAtOnceWhenItsQueueIsFull) {
  Pool pool(Counters(), PoolOptions{1, 1, Seconds{60}});
  boost::asio::io_context context{1};
  std::latch inside(1), go(1);
  int refused = 0, done = 0;
  const auto ask = [&](auto work) -> Task<void> {
    const auto answer = co_await pool.Read(work);
    refused +=
        !answer.ok() && answer.error() == Refusal::kUnavailable && answer.error().retry_after_seconds > 0;
    done += answer.ok();
    if (refused == 1 && done == 0) go.count_down();
  };
  const auto hang = [&](Connection&) -> Outcome<Done> {
    inside.count_down();
    go.wait();
    return Done{};
  };
  const auto nothing = [](Connection&) -> Outcome<Done> { return Done{}; };
  boost::asio::co_spawn(context.get_executor(), ask(hang), boost::asio::detached);
  context.poll();
  inside.wait();
  boost::asio::co_spawn(context.get_executor(), ask(nothing), boost::asio::detached);
  boost::asio::co_spawn(context.get_executor(), ask(nothing), boost::asio::detached);
  context.restart();
  context.run();
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(done, 2);
}

Outcome<Done> Ask(Pool& pool) {
  return RunTask(pool.Write([](Connection& c, const Attempt&) -> Outcome<Done> {
    c.Execute("UPDATE t SET n = n + 1");
    return Done{};
  }));
}

class PoolFaults : public testing::Test {
 protected:
  PoolFaults() {
    server_.CreateDatabase();
    Connection connection(server_.Options());
    connection.Command("CREATE TABLE t (n BIGINT NOT NULL) ENGINE = InnoDB");
    connection.Execute("INSERT INTO t VALUES (0)");
    auto options = server_.Options();
    options.read_timeout = Seconds{1};
    options.connect_timeout = Seconds{1};
    pool_.emplace(options, kTwo);
    EXPECT_TRUE(test::Await([&] { return Ask(*pool_).ok(); }));  // a busy machine may exceed the timeouts
  }
  MariaDbServer server_;
  std::optional<Pool> pool_;
};

TEST_F(PoolFaults, AServerThatDiedIsUnavailableUntilItIsBack) {
  server_.Kill();
  EXPECT_TRUE(test::Await([&] { return !Ask(*pool_).ok() && !pool_->Connected(); }));
  EXPECT_EQ(Ask(*pool_).error(), Refusal::kUnavailable);
  server_.Start();
  EXPECT_TRUE(test::Await([&] { return Ask(*pool_).ok(); }));
}

TEST_F(PoolFaults, AServerThatHangsIsUnavailableUntilItGoesOn) {
  server_.Pause();
  EXPECT_EQ(Ask(*pool_).error(), Refusal::kUnavailable);
  server_.Continue();
  EXPECT_TRUE(test::Await([&] { return Ask(*pool_).ok(); }));
}

TEST_F(PoolFaults, AReadOnlyServerIsUnavailableForWritesOnly) {
  Connection root(server_.Options());
  root.Command("CREATE USER app@'127.0.0.1'");
  root.Command("GRANT ALL ON maejin.* TO app@'127.0.0.1'");
  auto options = server_.Options();
  options.user = "app";
  Pool pool(options, kTwo);
  EXPECT_TRUE(test::Await([&] { return Ask(pool).ok(); }));
  root.Command("SET GLOBAL read_only = 1");
  EXPECT_EQ(Ask(pool).error(), Refusal::kUnavailable);
  EXPECT_TRUE(RunTask(pool.Read([](Connection& c) -> Outcome<Done> {
                c.Query("SELECT n FROM t");
                return Done{};
              })).ok());
  root.Command("SET GLOBAL read_only = 0");
  EXPECT_TRUE(test::Await([&] { return Ask(pool).ok(); }));
}

TEST_F(PoolFaults, WorksWithTheConnectionsItGets) {
  Connection root(server_.Options());
  root.Command("SET GLOBAL max_connections = 10");
  Pool greedy(server_.Options(), PoolOptions{40, 64, Seconds{60}});
  ASSERT_TRUE(test::Await([&] { return Ask(greedy).ok(); }));  // an early request may be refused
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Ask(greedy).ok()) << i;
}

}  // namespace
}  // namespace maejin::mysql
