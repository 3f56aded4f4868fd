#include "adapters/mysql/shared_write.h"

#include <gtest/gtest.h>

#include <set>

#include "base/run_task.h"
#include "tests/support/cutting_proxy.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

using testing_support::CuttingProxy;
using testing_support::FreshDatabase;
using NumberWrites = SharedWrite<int, Outcome<int>>;

constexpr PoolOptions kOne{1, 64, Seconds{30}};
// Writes numbers into a table, one row each. Alone() refuses a number that the table has already.
class SharedWrites : public testing::Test {
 protected:
  SharedWrites() {
    Connection connection(direct_);
    connection.Command("CREATE TABLE numbers (n INT PRIMARY KEY) ENGINE = InnoDB");
  }

  // Writes the numbers from 1 to `count`. All of them wait for the only connection before the first one is
  // decided.
  std::vector<Outcome<int>> WriteAll(int count, const ServerOptions& server) {
    Pool pool(server, kOne);
    NumberWrites write(
        pool,
        [this](Connection& connection, const NumberWrites::Members& members) {
          return Together(connection, members);
        },
        [this](Connection& connection, const Attempt& attempt, int n) {
          return Alone(connection, attempt, n);
        });
    const auto busy = [&pool, count]() -> Task<void> {
      const auto work = [&](Connection&) -> Outcome<Done> {
        while (pool.waiting() < static_cast<std::size_t>(count)) std::this_thread::yield();
        return Done{};
      };
      const auto done = co_await pool.Read(work);
      EXPECT_TRUE(done.ok());
    };
    std::vector<Outcome<int>> outcomes(static_cast<std::size_t>(count), Refusal::kNotFound);
    const auto one = [](NumberWrites& how, int n, Outcome<int>& outcome) -> Task<void> {
      outcome = co_await how(n);
    };
    std::vector<Task<void>> tasks;
    tasks.push_back(busy());
    for (int n = 1; n <= count; ++n)
      tasks.push_back(one(write, n, outcomes[static_cast<std::size_t>(n) - 1]));
    RunTasks(std::move(tasks));
    counts_ = pool.counts();
    return outcomes;
  }
  bool Together(Connection& connection, const NumberWrites::Members& members) {
    groups_.push_back(members.size());
    if (in_group_) in_group_();
    for (auto* member : members) {
      if (left_out_.contains(member->request)) continue;
      connection.Execute("INSERT INTO numbers VALUES (?)", member->request);
      member->outcome = member->request;
    }
    return !gives_up_;
  }
  Outcome<int> Alone(Connection& connection, const Attempt& attempt, int n) {
    alone_.insert(n);
    unknown_ += attempt.commit_unknown;
    if (connection.Query("SELECT 1 FROM numbers WHERE n = ? FOR UPDATE", n).Next()) {
      if (attempt.commit_unknown) return n;
      return Refusal::kSeatTaken;
    }
    connection.Execute("INSERT INTO numbers VALUES (?)", n);
    return n;
  }
  std::int64_t Rows() {
    Connection connection(direct_);
    auto rows = connection.Query("SELECT COUNT(*) FROM numbers");
    rows.Next();
    return rows.Int(0);
  }

  const ServerOptions direct_ = FreshDatabase();
  std::vector<std::size_t> groups_;
  std::set<int> alone_;
  std::set<int> left_out_;
  bool gives_up_ = false;
  std::function<void()> in_group_;
  int unknown_ = 0;
  PoolCounts counts_;
};

TEST_F(SharedWrites, ConcurrentWritesShareACommit) {
  const auto outcomes = WriteAll(8, direct_);
  for (int n = 1; n <= 8; ++n) EXPECT_EQ(*outcomes[static_cast<std::size_t>(n) - 1], n);
  EXPECT_EQ(groups_, std::vector<std::size_t>{8});
  EXPECT_TRUE(alone_.empty());
  EXPECT_EQ(counts_.transactions, 1U);
  EXPECT_EQ(counts_.shared, 8U);
  EXPECT_EQ(Rows(), 8);
}

TEST_F(SharedWrites, SingleWriteIsCommittedAlone) {
  EXPECT_EQ(*WriteAll(1, direct_)[0], 1);
  EXPECT_TRUE(groups_.empty());
  EXPECT_EQ(alone_, std::set<int>{1});
}

TEST_F(SharedWrites, BatchTakesAllWaitingWritesUpToItsMaximum) {
  for (const auto& outcome : WriteAll(23, direct_)) EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(groups_, (std::vector<std::size_t>{16, 7}));
  EXPECT_TRUE(alone_.empty());
  EXPECT_EQ(Rows(), 23);
}

TEST_F(SharedWrites, RefusedWriteDoesNotFailTheRestOfItsBatch) {
  Connection(direct_).Execute("INSERT INTO numbers VALUES (5)");
  const auto outcomes = WriteAll(8, direct_);
  for (int n = 1; n <= 8; ++n) EXPECT_EQ(outcomes[static_cast<std::size_t>(n) - 1].ok(), n != 5) << n;
  EXPECT_EQ(outcomes[4].error(), Refusal::kSeatTaken);
  EXPECT_EQ(alone_.size(), 8U) << "the common transaction was rolled back, and each had its own";
  EXPECT_EQ(Rows(), 8);
}

TEST_F(SharedWrites, WriteLeftOutOfABatchRunsAlone) {
  left_out_ = {2, 3};
  for (const auto& outcome : WriteAll(8, direct_)) EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(alone_, (std::set<int>{2, 3}));
  EXPECT_EQ(counts_.shared, 6U);
  EXPECT_EQ(Rows(), 8);
}

// Outcomes of a batch that was rolled back are no answers.
TEST_F(SharedWrites, AbandonedBatchIsRolledBackAndItsWritesRunAlone) {
  gives_up_ = true;
  for (const auto& outcome : WriteAll(4, direct_)) EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(alone_.size(), 4U);
  EXPECT_EQ(counts_.shared, 0U);
  EXPECT_EQ(Rows(), 4);
}

class LostCommitOfMany : public SharedWrites, public testing::WithParamInterface<bool> {};

// The COMMIT of the batch is lost, or only its answer. Each member then looks up its own effect, and every
// number is written once.
TEST_P(LostCommitOfMany, IsLookedUpByEach) {
  CuttingProxy proxy(direct_.port);
  auto server = direct_;
  server.port = static_cast<std::uint16_t>(proxy.port());
  in_group_ = [&] { proxy.CutNext("\3COMMIT", GetParam()); };
  const auto outcomes = WriteAll(4, server);
  for (const auto& outcome : outcomes) EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(unknown_, 4);
  EXPECT_EQ(Rows(), 4);
}

INSTANTIATE_TEST_SUITE_P(SharedWrites, LostCommitOfMany, testing::Values(false, true));

}  // namespace
}  // namespace maejin::mysql
