#include "adapters/embedded/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "embedded/schema.h"

namespace maejin::embedded {
namespace {

void Migrate(Connection& connection) {
  connection.Execute("BEGIN EXCLUSIVE");
  auto version_row = connection.Prepare("PRAGMA user_version");
  version_row.Step();
  const auto version = version_row.Int(0);
  version_row.Reset();
  if (version > SchemaVersion()) {
    throw SqliteError(0, fmt::format("the database has schema {}, this maejin knows {}: use a newer maejin",
                                     version, SchemaVersion()));
  }
  for (auto next = version; next < SchemaVersion(); ++next) {
    connection.Execute(std::string(kSchema[static_cast<std::size_t>(next)]).c_str());
  }
  connection.Execute(fmt::format("PRAGMA user_version = {}", SchemaVersion()).c_str());
  connection.Execute("COMMIT");
}

// Creates the file with mode 0600; SQLite would make it readable by all accounts, and its side files copy the
// mode. An existing file is not opened: closing it would release the locks of this process's other
// connections.
void CreateForOwner(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

}  // namespace

int SchemaVersion() { return static_cast<int>(std::size(kSchema)); }

Connection OpenDatabase(const std::string& path) {
  CreateForOwner(path);
  Connection connection(path);
  connection.Execute("PRAGMA journal_mode = WAL");
  connection.Execute("PRAGMA synchronous = FULL");
  connection.Execute("PRAGMA wal_autocheckpoint = 16384");  // pages: rarer, larger checkpoints
  connection.Execute("PRAGMA cache_size = -65536");
  connection.Execute("PRAGMA temp_store = MEMORY");
  Migrate(connection);
  return connection;
}

std::int64_t IdentityOf(Connection& connection, Random& random) {
  auto made = connection.Prepare(
      "INSERT INTO ranking_settings (name, value) VALUES ('identity', ?) ON CONFLICT DO NOTHING");
  made.Bind(1, static_cast<std::int64_t>(random.Next64() >> 1));
  made.Step();
  auto kept = connection.Prepare("SELECT value FROM ranking_settings WHERE name = 'identity'");
  kept.Step();
  return kept.Int(0);
}

}  // namespace maejin::embedded
