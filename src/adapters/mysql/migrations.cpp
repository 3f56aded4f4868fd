#include "adapters/mysql/migrations.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "embedded/mysql_schema.h"

namespace maejin::mysql {
namespace {

using embedded::kMysqlSchema;

constexpr int kLockSeconds = 120;
constexpr Millis kPatience{600'000};

// Lets one node at a time migrate a database. The lock's name contains the database, because lock names are
// global on a server.
class MigrationLock {
 public:
  explicit MigrationLock(Connection& connection) : connection_(connection) {
    auto rows = connection.Query("SELECT GET_LOCK(CONCAT('maejin.migrate.', DATABASE()), ?)", kLockSeconds);
    if (!rows.Next() || rows.Int(0) != 1) throw MysqlError(0, "another node is still changing the schema");
  }
  ~MigrationLock() {
    try {
      connection_.Query("SELECT RELEASE_LOCK(CONCAT('maejin.migrate.', DATABASE()))");
    } catch (const MysqlError& error) {
      LogWarning("database: cannot release the lock of the migrations; it ends with the connection: {}",
                 error.what());
    }
  }
  MigrationLock(const MigrationLock&) = delete;
  MigrationLock& operator=(const MigrationLock&) = delete;

 private:
  Connection& connection_;
};

// Ignores that the column or index exists: another node may have run the statement and stopped before it
// recorded the version.
void RunOnce(Connection& connection, const std::string& statement) {
  constexpr unsigned kDuplicateColumn = 1060;
  constexpr unsigned kDuplicateIndex = 1061;
  try {
    connection.Command(statement);
  } catch (const MysqlError& error) {
    if (error.code() != kDuplicateColumn && error.code() != kDuplicateIndex) throw;
  }
}

// Runs the statements of a file. A comment goes from "--" to the end of its text line. A statement ends with
// ";" at the end of a text line.
void Apply(Connection& connection, std::string_view file) {
  std::string statement;
  while (!file.empty()) {
    const auto end = file.find('\n');
    auto line = file.substr(0, end);
    file.remove_prefix(end == std::string_view::npos ? file.size() : end + 1);
    line = line.substr(0, line.find("--"));
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    statement += line;
    statement += '\n';
    if (!line.ends_with(';')) continue;
    statement.resize(statement.size() - 2);
    RunOnce(connection, statement);
    statement.clear();
  }
}

}  // namespace

ServerOptions WithLongTimeouts(ServerOptions server) {
  server.read_timeout = std::max(server.read_timeout, kPatience);
  return server;
}

int SchemaVersion() { return static_cast<int>(std::size(kMysqlSchema)); }

int SchemaVersionOf(Connection& connection) {
  auto table = connection.Query("SHOW TABLES LIKE 'schema_versions'");
  if (!table.Next()) return 0;
  auto version = connection.Query("SELECT COALESCE(MAX(version), 0) FROM schema_versions");
  version.Next();
  return static_cast<int>(version.Int(0));
}

int Migrate(Connection& connection) {
  const MigrationLock lock(connection);
  connection.Command(
      "CREATE TABLE IF NOT EXISTS schema_versions ("
      "version INT NOT NULL PRIMARY KEY, applied_at DATETIME(3) NOT NULL) ENGINE = InnoDB");
  const int found = SchemaVersionOf(connection);
  if (found > SchemaVersion()) {
    throw MysqlError(0, fmt::format("the database has schema {}, this maejin knows {}: use a newer maejin",
                                    found, SchemaVersion()));
  }
  for (int next = found; next < SchemaVersion(); ++next) {
    Apply(connection, kMysqlSchema[next]);
    connection.Execute(
        "INSERT IGNORE INTO schema_versions (version, applied_at) VALUES (?, UTC_TIMESTAMP(3))", next + 1);
    LogInfo("database: schema {} of {}", next + 1, SchemaVersion());
  }
  return SchemaVersion() - found;
}

}  // namespace maejin::mysql
