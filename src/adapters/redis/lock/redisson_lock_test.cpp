#include "adapters/redis/lock/redisson_lock.h"

#include <chrono>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "tests/support/redis_server.h"
#include "tests/support/redisson_client.h"

namespace maejin::redis {
namespace {

using test::RedisCluster;
using test::RedisServer;
using test::RedissonClient;

constexpr char kSeat[] = "lock:seat:42:7-13";
// Long enough for a busy machine: no wait times out, and only kBrief leases expire.
constexpr RedissonLock::Times kPatient{.wait = Millis{60'000}, .lease = Millis{600'000}};
constexpr RedissonLock::Times kBrief{.wait = Millis{60'000}, .lease = Millis{150}};

class RedissonLockTest : public testing::Test {
 protected:
  Result<RedissonLock::Lease, RedissonLock::Failure> Acquire(RedissonLock& from) {
    return RunTask(from.Acquire(kSeat));
  }

  RedisServer server;
  Client client{ParseAddress(server.Url()).value()};
  RedissonLock lock{client, kPatient};
  RedissonClient java{server.port(), "1f0c9d5e-0000-4000-8000-000000000001:37"};
};

TEST_F(RedissonLockTest, UsesRedissonsWireFormat) {
  const auto now = [&] { return std::stoll(server.Cli("EVAL \"return redis.call('TIME')[1]\" 0")); };
  const auto before = now();
  const auto lease = Acquire(lock).value();
  const auto after = now();
  EXPECT_EQ(server.Cli(std::string("TYPE ") + kSeat), "hash\n");
  EXPECT_EQ(server.Cli(std::string("HGETALL ") + kSeat), lease.holder + "\n1\n");
  const auto ends = std::stoll(server.Cli(std::string("PEXPIRETIME ") + kSeat));
  EXPECT_GE(ends, before * 1000 + kPatient.lease.count());
  EXPECT_LE(ends, (after + 1) * 1000 + kPatient.lease.count());
  EXPECT_EQ(RedissonLock::Times().lease, Millis{5000}) << "the default lease";
  EXPECT_EQ(lease.holder.size(), std::string("1f0c9d5e-0000-4000-8000-000000000001:1").size());
  EXPECT_EQ(RedissonLock::ChannelOf("a"), "redisson_lock__channel:{a}");
  EXPECT_EQ(RedissonLock::ChannelOf("{a}b"), "redisson_lock__channel:{a}b");
}

TEST_F(RedissonLockTest, ExcludesJavaAndIsExcludedByIt) {
  const auto lease = Acquire(lock).value();
  EXPECT_FALSE(java.TryLock(kSeat, 600'000));
  EXPECT_TRUE(RunTask(lock.Release(lease)));
  EXPECT_TRUE(java.TryLock(kSeat, 600'000));
  RedissonLock impatient(client, {.wait = Millis{100}, .lease = Millis{5000}});
  const auto refused = Acquire(impatient);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), RedissonLock::Failure::kBusy);
  EXPECT_TRUE(java.Unlock(kSeat));
  EXPECT_TRUE(Acquire(impatient).ok());
}

TEST_F(RedissonLockTest, IsWokenByJavasReleaseWithoutPolling) {
  ASSERT_TRUE(java.TryLock(kSeat, 600'000));
  auto waiting = std::async(std::launch::async, [&] { return Acquire(lock); });
  test::AwaitCli(server.port(), "PUBSUB NUMSUB 'redisson_lock__channel:{lock:seat:42:7-13}'", "\n1\n");
  server.Cli("CONFIG RESETSTAT");
  ASSERT_TRUE(java.Unlock(kSeat));
  EXPECT_TRUE(waiting.get().ok());
  // The lock makes one attempt after the message, and at most one after it subscribed.
  const auto stats = server.Cli("INFO commandstats");
  const auto at = stats.find("cmdstat_evalsha:calls=");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LE(std::stoi(stats.substr(at + 22)), 2);
}

TEST_F(RedissonLockTest, WakesJavaWhenItIsReleased) {
  const auto lease = Acquire(lock).value();
  java.Subscribe(kSeat);
  ASSERT_TRUE(RunTask(lock.Release(lease)));
  EXPECT_EQ(java.AwaitMessage(), "0");
}

TEST_F(RedissonLockTest, EndsWithItsLeaseAndTheFenceGrows) {
  RedissonLock brief(client, kBrief);
  const auto first = Acquire(brief).value();
  const auto second = Acquire(brief).value();
  EXPECT_GT(second.fence, first.fence);
  EXPECT_NE(second.holder, first.holder);
  const auto third = Acquire(lock).value();
  EXPECT_GT(third.fence, second.fence);
  EXPECT_FALSE(RunTask(brief.Release(second))) << "an expired lease releases nothing";
  EXPECT_TRUE(RunTask(lock.Release(third)));
}

TEST_F(RedissonLockTest, ExpiredLeaseFreesTheLockForBothSides) {
  ASSERT_TRUE(java.TryLock(kSeat, 150));
  const auto mine = Acquire(lock);  // the end of Java's lease wakes it without a message
  ASSERT_TRUE(mine.ok());
  EXPECT_FALSE(java.Unlock(kSeat)) << "Java's lease has ended";
  RedissonLock brief(client, kBrief);
  ASSERT_TRUE(RunTask(lock.Release(*mine)));
  ASSERT_TRUE(Acquire(brief).ok());
  bool taken = false;
  for (int i = 0; i < 10'000 && !(taken = java.TryLock(kSeat, 5000)); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(taken) << "Java takes the lock after our lease ended";
}

TEST_F(RedissonLockTest, FenceGrowsAfterRedisLostItsData) {
  const auto before = Acquire(lock).value();
  server.Cli("FLUSHALL");
  EXPECT_GE(Acquire(lock).value().fence, before.fence);
}

TEST_F(RedissonLockTest, OutageIsUnavailable) {
  server.Kill();
  auto refused = Acquire(lock);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), RedissonLock::Failure::kUnavailable);
}

TEST(RedissonLockOnACluster, LocksWakesAndFences) {
  RedisCluster cluster;
  Client client(ParseAddress(cluster.Url()).value());
  RedissonLock lock(client, kPatient);
  const auto lease = RunTask(lock.Acquire(kSeat)).value();
  auto waiting = std::async(std::launch::async, [&] { return RunTask(lock.Acquire(kSeat)); });
  test::AwaitCli(cluster.node(0).port(), "PUBSUB NUMSUB 'redisson_lock__channel:{lock:seat:42:7-13}'",
                 "\n1\n");
  EXPECT_TRUE(RunTask(lock.Release(lease)));
  EXPECT_GT(waiting.get().value().fence, lease.fence);
}

}  // namespace
}  // namespace maejin::redis
