#include "adapters/mysql/connection.h"

#include <gtest/gtest.h>

#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

using testing_support::FreshDatabase;

class ConnectionTest : public testing::Test {
 protected:
  Connection connection_{FreshDatabase()};
};

TEST_F(ConnectionTest, SetsUpItsSessionWhateverTheServerPrefers) {
  auto rows = connection_.Query(
      "SELECT @@tx_isolation, @@time_zone, @@autocommit, @@innodb_lock_wait_timeout, "
      "@@innodb_snapshot_isolation, "
      "@@character_set_client, @@sql_mode LIKE '%STRICT_TRANS_TABLES%', @@global.time_zone");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.Text(0), "READ-COMMITTED");
  EXPECT_EQ(rows.Text(1), "+00:00");
  EXPECT_EQ(rows.Int(2), 1);
  EXPECT_EQ(rows.Int(3), 3);
  EXPECT_EQ(rows.Int(4), 1);
  EXPECT_EQ(rows.Text(5), "utf8mb4");
  EXPECT_EQ(rows.Int(6), 1);
  EXPECT_EQ(rows.Text(7), "+09:00") << "the test's server prefers another zone, or this test shows nothing";
}

TEST_F(ConnectionTest, KeepsEveryMillisecondAndEveryByte) {
  connection_.Command(
      "CREATE TABLE t (n BIGINT, at DATETIME(3), day DATE, name VARCHAR(100), id BINARY(16)) CHARSET "
      "utf8mb4");
  const auto at = *ParseTime("2025-12-31T23:59:59.999Z");
  const auto day = *ParseDate("2024-02-29");
  const auto id = *Id128::Parse("000102030405060708090a0b0c0d0eff");
  EXPECT_EQ(
      connection_.Execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", INT64_MIN, at, day, "매진 🎟 '; DROP", id),
      1);
  auto rows = connection_.Query("SELECT n, at, day, name, id, CAST(at AS CHAR) FROM t");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.Int(0), INT64_MIN);
  EXPECT_EQ(rows.At(1), at);
  EXPECT_EQ(rows.Day(2), day);
  EXPECT_EQ(rows.Text(3), "매진 🎟 '; DROP");
  EXPECT_EQ(rows.Id(4), id);
  EXPECT_EQ(rows.Text(5), "2025-12-31 23:59:59.999");
  EXPECT_FALSE(rows.Next());
}

TEST_F(ConnectionTest, ComparesInstantsExactly) {
  connection_.Command("CREATE TABLE t (at DATETIME(3))");
  const auto at = *ParseTime("2025-07-01T10:00:00.500Z");
  connection_.Execute("INSERT INTO t VALUES (?)", at);
  const auto matching = [&](const char* sql, Time time) { return connection_.Execute(sql, at, time); };
  EXPECT_EQ(matching("UPDATE t SET at = ? WHERE at = ?", at), 1);
  EXPECT_EQ(matching("UPDATE t SET at = ? WHERE at > ?", at), 0);
  EXPECT_EQ(matching("UPDATE t SET at = ? WHERE at > ?", at - Millis{1}), 1);
  EXPECT_EQ(matching("UPDATE t SET at = ? WHERE at < ?", at + Millis{1}), 1);
}

TEST_F(ConnectionTest, NullIsReadAsAbsent) {
  connection_.Command("CREATE TABLE t (n BIGINT, at DATETIME(3), name TEXT)");
  connection_.Execute("INSERT INTO t VALUES (?, ?, ?)", std::optional<std::int64_t>{}, std::optional<Time>{},
                      std::nullopt);
  auto rows = connection_.Query("SELECT n, at, name FROM t");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.OptionalInt(0), std::nullopt);
  EXPECT_EQ(rows.OptionalAt(1), std::nullopt);
  EXPECT_TRUE(rows.IsNull(2));
}

TEST_F(ConnectionTest, ReadsRowsOfGrowingLengthThroughOneStatement) {
  connection_.Command("CREATE TABLE t (id INT PRIMARY KEY, name MEDIUMTEXT)");
  for (int size : {1, 5000, 3, 100000}) {
    connection_.Execute("INSERT INTO t VALUES (?, ?)", size,
                        std::string(static_cast<std::size_t>(size), 'x'));
    auto rows = connection_.Query("SELECT name FROM t WHERE id = ?", size);
    ASSERT_TRUE(rows.Next());
    EXPECT_EQ(rows.Text(0).size(), static_cast<std::size_t>(size));
  }
}

TEST_F(ConnectionTest, RowsOfAnEvictedStatementStillReadRight) {
  connection_.Command("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
  connection_.Execute("INSERT INTO t VALUES (1, 'first'), (2, 'second'), (3, 'third')");
  auto rows = connection_.Query("SELECT id, name FROM t ORDER BY id");
  ASSERT_TRUE(rows.Next());
  for (std::size_t i = 0; i <= Connection::kMaxStatements; ++i) {
    auto other = connection_.Query("SELECT " + std::to_string(i) + ", 'another text of its own'");
    ASSERT_TRUE(other.Next());
    EXPECT_EQ(other.Int(0), static_cast<std::int64_t>(i));
  }
  EXPECT_EQ(rows.Text(1), "first");
  for (const auto* name : {"second", "third"}) {
    ASSERT_TRUE(rows.Next());
    EXPECT_EQ(rows.Text(1), name);
  }
  EXPECT_FALSE(rows.Next());
  auto again = connection_.Query("SELECT id, name FROM t ORDER BY id");
  EXPECT_TRUE(again.Next()) << "the evicted statement is prepared again";
}

TEST_F(ConnectionTest, AffectedRowsAreTheRowsThatMatchedTheGuard) {
  connection_.Command("CREATE TABLE t (id INT PRIMARY KEY, state INT)");
  connection_.Execute("INSERT INTO t VALUES (1, 0)");
  EXPECT_EQ(connection_.Execute("UPDATE t SET state = 1 WHERE id = 1 AND state = 0"), 1);
  EXPECT_EQ(connection_.Execute("UPDATE t SET state = 1 WHERE id = 1 AND state = 0"), 0);
  EXPECT_EQ(connection_.Execute("UPDATE t SET state = 1 WHERE id = 1 AND state = 1"), 1);
}

TEST_F(ConnectionTest, NamesWhatTheServerRefused) {
  connection_.Command("CREATE TABLE t (id INT PRIMARY KEY)");
  connection_.Execute("INSERT INTO t VALUES (1)");
  try {
    connection_.Execute("INSERT INTO t VALUES (?)", 1);
    FAIL() << "a UNIQUE key took the same value twice";
  } catch (const MysqlError& error) {
    EXPECT_TRUE(error.IsDuplicate());
    EXPECT_FALSE(error.IsConflict() || error.IsLost() || error.IsReadOnly());
  }
}

TEST(ConnectionTls, RequiredTlsEncryptsAndVerifies) {
  const auto folder = std::filesystem::temp_directory_path() / ("maejin-tls-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto at = [&](const char* name) { return (folder / name).string(); };
  const auto command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout " +
      at("key") + " -out " + at("cert") +
      " -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const testing_support::MariaDbServer server({"--ssl-cert=" + at("cert"), "--ssl-key=" + at("key")});

  auto options = server.Options("");
  options.tls = Tls::kRequired;
  EXPECT_NE(Connection(options).Cipher(), "");
  options.tls = Tls::kVerify;
  EXPECT_THROW(Connection{options}, MysqlError) << "nobody signed this certificate";
  options.tls_ca = at("cert");
  EXPECT_NE(Connection(options).Cipher(), "");
  std::filesystem::remove_all(folder);
}

TEST(ConnectionTls, DoesNotFallBackToPlainText) {
  auto options = testing_support::SharedMariaDb().Options("");
  options.tls = Tls::kRequired;
  EXPECT_THROW(Connection{options}, MysqlError);
  options.tls = Tls::kOff;
  EXPECT_EQ(Connection(options).Cipher(), "");
}

}  // namespace
}  // namespace maejin::mysql
