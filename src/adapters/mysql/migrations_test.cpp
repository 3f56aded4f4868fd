#include "adapters/mysql/migrations.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

using testing_support::FreshDatabase;

TEST(Migrations, BringAnEmptyDatabaseToTheNewestSchemaOnce) {
  Connection connection(FreshDatabase());
  EXPECT_EQ(SchemaVersionOf(connection), 0);
  EXPECT_EQ(Migrate(connection), SchemaVersion());
  EXPECT_EQ(SchemaVersionOf(connection), SchemaVersion());
  EXPECT_EQ(Migrate(connection), 0);
}

TEST(Migrations, RunOnceWhenManyNodesStartTogether) {
  const auto database = FreshDatabase();
  std::atomic<int> applied{0};
  std::vector<std::thread> nodes;
  for (int i = 0; i < 8; ++i) {
    nodes.emplace_back([&] {
      Connection connection(database);
      applied += Migrate(connection);
    });
  }
  for (auto& node : nodes) node.join();
  EXPECT_EQ(applied, SchemaVersion());
}

TEST(Migrations, CanBeTakenUpWhereANodeDiedInTheMiddle) {
  Connection connection(FreshDatabase());
  Migrate(connection);
  // Simulates a node that ran every statement and recorded no version.
  connection.Execute("DELETE FROM schema_versions");
  EXPECT_EQ(Migrate(connection), SchemaVersion());
}

TEST(Migrations, RefuseADatabaseOfANewerProgram) {
  Connection connection(FreshDatabase());
  Migrate(connection);
  connection.Execute("INSERT INTO schema_versions VALUES (?, UTC_TIMESTAMP(3))", SchemaVersion() + 1);
  EXPECT_THROW(Migrate(connection), MysqlError);
}

TEST(Migrations, IndexTheSoldOutTime) {
  Connection connection(FreshDatabase());
  Migrate(connection);
  auto rows = connection.Query("SHOW INDEX FROM sold_out_concerts WHERE Column_name = 'sold_out_at'");
  EXPECT_TRUE(rows.Next());
}

}  // namespace
}  // namespace maejin::mysql
