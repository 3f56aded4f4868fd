#include "adapters/embedded/database.h"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/log.h"
#include "embedded/schema.h"

namespace maejin::embedded {
namespace {

void Migrate(Connection& connection) {
  connection.Execute("BEGIN EXCLUSIVE");
  auto version_row = connection.Prepare("PRAGMA user_version");
  version_row.Step();
  const auto version = version_row.Int(0);
  version_row.Reset();
  // A current schema is not written again, so a server can start on a full disk.
  if (version == SchemaVersion()) return connection.Execute("ROLLBACK");
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

// Sets the number of pages at which SQLite checkpoints and truncates the write-ahead log. Checkpoints are
// rare, but the log stays small on a small disk.
void LimitLog(Connection& connection, const std::string& path) {
  constexpr std::uint64_t kPageBytes = 4096;
  constexpr std::uint64_t kMostPages = 16384;
  constexpr std::uint64_t kLeastPages = 64;
  std::error_code error;
  const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), error);
  const auto pages =
      error ? kMostPages
            : std::clamp<std::uint64_t>(space.available / 16 / kPageBytes, kLeastPages, kMostPages);
  connection.Execute(fmt::format("PRAGMA wal_autocheckpoint = {}", pages).c_str());
  connection.Execute(fmt::format("PRAGMA journal_size_limit = {}", pages * kPageBytes).c_str());
}

// The reserve file. It is deleted on a full disk, so that the log can be recovered.
std::filesystem::path ReserveOf(const std::string& path) { return path + "-reserve"; }

Connection OpenOnce(const std::string& path) {
  Connection connection(path);
  connection.Execute("PRAGMA journal_mode = WAL");
  connection.Execute("PRAGMA synchronous = FULL");
  LimitLog(connection, path);
  connection.Execute("PRAGMA cache_size = -65536");
  connection.Execute("PRAGMA temp_store = MEMORY");
  Migrate(connection);
  return connection;
}

}  // namespace

void KeepReserve(const std::string& path) {
  constexpr off_t kBytes = 2 << 20;
  const auto file = ReserveOf(path);
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;  // the file exists already
  const bool kept = posix_fallocate(fd, 0, kBytes) == 0;
  close(fd);
  if (!kept) unlink(file.c_str());
}

int SchemaVersion() { return static_cast<int>(std::size(kSchema)); }

Connection OpenDatabase(const std::string& path) {
  CreateForOwner(path);
  try {
    return OpenOnce(path);
  } catch (const SqliteError& failure) {
    const int code = failure.code() & 0xff;
    if (code != SQLITE_FULL && code != SQLITE_IOERR && code != SQLITE_CANTOPEN) throw;
    std::error_code error;
    if (!std::filesystem::remove(ReserveOf(path), error)) throw;
  }
  LogWarning("the disk of {} is full; opening it with the space of its reserve", path);
  return OpenOnce(path);
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
