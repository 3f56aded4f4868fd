// A backup of the shared database in one sealed file: every row as of one moment, and the signing keys.
// Works beside running nodes: InnoDB reads one snapshot without locks. Waiting rooms are in Redis and not
// part of it.
//
// A restored database must not repeat what the lost one gave out after the backup. So restoring raises the
// next number of every concert, date, reservation, payment and event.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "adapters/mysql/connection.h"
#include "base/random.h"
#include "base/sealed_file.h"

namespace maejin::mysql {

inline constexpr std::string_view kDatabaseBackupTitle = "maejin-database-backup 1";

struct DatabaseBackup {
  std::string version;  // of the maejin that wrote it
  Time taken_at{};
  std::int64_t schema = 0;
  std::uint64_t bytes = 0;  // of the file; only after writing
  std::int64_t tables = 0;
  std::int64_t rows = 0;
  bool encrypted = false;
};

struct DatabaseBackupSource {
  ServerOptions server;
  std::filesystem::path keys;  // empty: the keys are in the database
  std::string version;         // of this program
};

// Writes to `file` (mode 0600), first under another name. `secret` empty: not encrypted. Errors are sentences
// for the operator, here and below.
FileResult<DatabaseBackup> WriteDatabaseBackup(const DatabaseBackupSource& source,
                                               const std::filesystem::path& file, std::string_view secret,
                                               Random& random, Time now);

// Checks the checksum, the manifest, that every entry inserts rows of a table, and the counts.
FileResult<DatabaseBackup> VerifyDatabaseBackup(const std::filesystem::path& file, std::string_view secret);

// Verifies the file, then fills an empty database, in one transaction. `keys` as in the source: a folder
// that is missing or empty. The audit log gets a row, and its chain is checked. A backup of another schema
// is refused.
FileResult<DatabaseBackup> RestoreDatabaseBackup(const std::filesystem::path& file,
                                                 const DatabaseBackupSource& target, std::string_view secret,
                                                 Time now);

// Whether the file begins as such a backup does.
bool IsDatabaseBackup(const std::filesystem::path& file);

}  // namespace maejin::mysql
