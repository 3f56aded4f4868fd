#include "adapters/mysql/outage_clock.h"

#include <thread>

#include <gtest/gtest.h>

#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

class OutageClockTest : public testing::Test {
 protected:
  OutageClockTest() {
    Connection connection(server_);
    Migrate(connection);
  }
  static bool Extends(OutageClock& node) { return RunTask(node.ExtendAfterOutage()).value(); }
  // The record of the last beat becomes older: no node has reached the database since, or its clock jumped.
  void AgeRecord(Seconds age) {
    Connection(server_).Execute("UPDATE pulse SET alive_at = alive_at - INTERVAL ? SECOND", age.count());
  }

  ServerOptions server_ = testing_support::FreshDatabase();
  Pool pool_{server_, {1, 64, Seconds{60}}};
  OutageClock node_{pool_};
};

TEST_F(OutageClockTest, NodeThatStartsMeasuresAnOutageByTheDatabase) {
  EXPECT_FALSE(Extends(node_));
  AgeRecord(Seconds{3600});
  OutageClock started{pool_};
  EXPECT_TRUE(Extends(started));
  EXPECT_FALSE(Extends(node_)) << "once for all nodes";
}

TEST_F(OutageClockTest, JumpOfTheDatabasesClockIsNoOutage) {
  EXPECT_FALSE(Extends(node_));
  AgeRecord(Seconds{3600});
  EXPECT_FALSE(Extends(node_));
  EXPECT_FALSE(Extends(node_)) << "the record has the new time";
}

TEST_F(OutageClockTest, OutageOfThreeSecondsExtends) {
  EXPECT_FALSE(Extends(node_));
  AgeRecord(Seconds{3600});
  std::this_thread::sleep_for(Millis{3100});
  EXPECT_TRUE(Extends(node_)) << "both: an outage, and a jump during it";
}

}  // namespace
}  // namespace maejin::mysql
