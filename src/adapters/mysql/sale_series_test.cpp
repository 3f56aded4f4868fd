#include "adapters/mysql/sale_series.h"

#include <gtest/gtest.h>

#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/support/cutting_proxy.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

// True: the connection breaks before the COMMIT reaches the server; false: before its answer.
class MysqlSaleSeriesTest : public testing::TestWithParam<bool> {};

TEST_P(MysqlSaleSeriesTest, ExpiredHoldsOfAnUnknownCommitAreCountedOnce) {
  auto database = testing_support::FreshDatabase();
  {
    Connection connection(database);
    Migrate(connection);
  }
  testing_support::CuttingProxy proxy(database.port);
  database.port = static_cast<std::uint16_t>(proxy.port());
  Pool pool(database, {2, 16, Seconds{60}});
  MysqlSaleSeries series(pool);
  SalePoint point;
  point.at = TimeFromMillis(1'767'225'600'000);
  point.expired = 3;
  proxy.CutNext("\3COMMIT", GetParam());  // the protocol sends a query as the byte 3 and its text
  ASSERT_TRUE(RunTask(series.Add({{1, point}})).ok());
  EXPECT_EQ(pool.counts().unknown_commits, 1U);
  const auto points = RunTask(series.Read(1, TimeFromMillis(0)));
  ASSERT_EQ(points->size(), 1U);
  EXPECT_EQ(points->front().expired, 3);
}

INSTANTIATE_TEST_SUITE_P(Cut, MysqlSaleSeriesTest, testing::Values(false, true));

}  // namespace
}  // namespace maejin::mysql
