// A backup of the shared database in one sealed file: every row as of one moment, and the signing keys. Nodes
// may run during a backup: InnoDB reads one snapshot without locks. Waiting rooms are in Redis, and the
// backup does not contain them.
//
// The lost database gave out numbers after the backup. The restored database must not give them out again, so
// a restore raises the next number of every concert, date, reservation, payment and event.
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
  std::string version;  // the version of the maejin that wrote the backup
  Time taken_at{};
  std::int64_t schema = 0;
  std::uint64_t bytes = 0;  // size of the file; set only by WriteDatabaseBackup()
  std::int64_t tables = 0;
  std::int64_t rows = 0;
  bool encrypted = false;
};

struct DatabaseBackupSource {
  ServerOptions server;
  std::filesystem::path keys;  // empty: the keys are in the database
  std::string version;         // the version of this program
};

// Writes to `file` (mode 0600), first under another name. `secret` empty: not encrypted. Errors are sentences
// for the operator, here and below.
FileResult<DatabaseBackup> WriteDatabaseBackup(const DatabaseBackupSource& source,
                                               const std::filesystem::path& file, std::string_view secret,
                                               Random& random, Time now);

// Checks the checksum, the schema and the number of tables, that every entry of rows is an INSERT into its
// table, the audit chain, and that seats, reservations and payments agree (backup_checks.h). Checks no
// signing keys: nodes may have them in files that the backup does not contain.
FileResult<DatabaseBackup> VerifyDatabaseBackup(const std::filesystem::path& file, std::string_view secret);

// Verifies the file, then raises the next number of each table of an empty database above the rows to come,
// and fills it in one transaction, with a row in the audit log. Then checks the audit chain. After a failure
// or a crash before COMMIT the database is empty, and the restore can be repeated. `target.keys` is a folder
// that is missing or empty.
FileResult<DatabaseBackup> RestoreDatabaseBackup(const std::filesystem::path& file,
                                                 const DatabaseBackupSource& target, std::string_view secret,
                                                 Time now);

// Whether the file begins as such a backup does.
bool IsDatabaseBackup(const std::filesystem::path& file);

}  // namespace maejin::mysql
