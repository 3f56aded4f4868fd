#include "adapters/redis/lock/lease.h"

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "tests/support/redis_server.h"

namespace maejin::redis {
namespace {

constexpr Millis kTtl{60'000};

class LeaseTest : public testing::Test {
 protected:
  // Removes the lease as an expiry would, and lets `second` take it.
  void TakeAfterExpiry(Lease& second) {
    server_.Cli("DEL lease");
    ASSERT_TRUE(RunTask(second.Take(kTtl)).value());
  }

  test::RedisServer server_;
  Client client_{ParseAddress(server_.Url()).value()};
  Lease first_{client_, "lease", "first"};
  Lease second_{client_, "lease", "second"};
};

TEST_F(LeaseTest, LeaseThatIsTakenIsRefusedToOthersUntilItsRelease) {
  EXPECT_TRUE(RunTask(first_.Take(kTtl)).value());
  EXPECT_FALSE(RunTask(second_.Take(kTtl)).value());
  EXPECT_TRUE(RunTask(first_.Release()));
  EXPECT_TRUE(RunTask(second_.Take(kTtl)).value());
}

TEST_F(LeaseTest, LeaseThatIsNotReleasedExpires) {
  ASSERT_TRUE(RunTask(first_.Take(kTtl)).value());
  const auto left = std::stoll(server_.Cli("PTTL lease"));
  EXPECT_GT(left, 0);
  EXPECT_LE(left, kTtl.count());
}

TEST_F(LeaseTest, LateReleaseKeepsTheLeaseOfTheNextHolder) {
  ASSERT_TRUE(RunTask(first_.Take(kTtl)).value());
  TakeAfterExpiry(second_);
  EXPECT_FALSE(RunTask(first_.Release()));
  EXPECT_EQ(server_.Cli("GET lease"), "second\n");
}

TEST_F(LeaseTest, ControlDeleteWithoutComparisonRemovesTheLeaseOfTheNextHolder) {
  ASSERT_TRUE(RunTask(first_.Take(kTtl)).value());
  TakeAfterExpiry(second_);
  ASSERT_TRUE(RunTask(client_.Call(Command("DEL").Key("lease"))));
  EXPECT_EQ(server_.Cli("GET lease"), "\n");
}

}  // namespace
}  // namespace maejin::redis
