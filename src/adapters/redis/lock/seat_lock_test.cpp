#include "adapters/redis/lock/seat_lock.h"

#include <optional>

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "tests/support/redis_server.h"

namespace maejin::redis {
namespace {

SeatChoice Seats(std::vector<SeatNumber> seats) {
  return {.concert = 42, .schedule = 7, .seats = std::move(seats)};
}

class SeatLocks : public testing::Test {
 protected:
  // A short wait, and leases that do not expire during a test.
  static constexpr RedissonLock::Times kShortWait{.wait = Millis{150}, .lease = Millis{600'000}};

  test::RedisServer server_;
  std::optional<Client> client_{std::in_place, ParseAddress(server_.Url()).value()};
  RedisSeatLock lock_{*client_, kShortWait};
};

TEST_F(SeatLocks, LockedSeatIsRefusedAfterTheWait) {
  auto mine = RunTask(lock_.Take(Seats({13, 12})));
  ASSERT_TRUE(mine.ok());
  EXPECT_EQ(server_.Cli("TYPE lock:seat:42:7-13"), "hash\n");
  EXPECT_EQ(server_.Cli("TYPE lock:seat:42:7-12"), "hash\n");
  const auto theirs = RunTask(lock_.Take(Seats({13})));
  EXPECT_EQ(theirs.error(), Refusal::kSeatHeld);
  EXPECT_EQ(theirs.error().about, "13");
  EXPECT_TRUE(RunTask(lock_.Take(Seats({14}))).ok()) << "another seat is free";
  mine->reset();
  test::AwaitCli(server_.port(), "EXISTS lock:seat:42:7-13", "0");
  EXPECT_TRUE(RunTask(lock_.Take(Seats({13}))).ok());
}

TEST_F(SeatLocks, RefusalReleasesTheSeatsLockedBefore) {
  server_.Cli("HSET lock:seat:42:7-13 java:1 1");
  server_.Cli("PEXPIRE lock:seat:42:7-13 60000");
  EXPECT_EQ(RunTask(lock_.Take(Seats({12, 13}))).error(), Refusal::kSeatHeld);
  test::AwaitCli(server_.port(), "EXISTS lock:seat:42:7-12", "0");
}

TEST_F(SeatLocks, RedisOutageAllowsTheHold) {
  server_.Kill();
  EXPECT_TRUE(RunTask(lock_.Take(Seats({13}))).ok());
}

}  // namespace
}  // namespace maejin::redis
