// A backup of a data folder in one file: the database as of one moment, and every other file of the folder
// (signing keys, admin key, secrets). The server may run during a backup: SQLite's online backup copies the
// database in pieces from one snapshot. Commits do not wait for the copy, and the copy does not start again
// after a commit.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/random.h"
#include "base/sealed_file.h"
#include "base/time.h"

namespace maejin::embedded {

inline constexpr std::string_view kBackupTitle = "maejin-backup 1";
// The entry of the database. Further entries are the other files of the folder, named by their path in it.
inline constexpr std::string_view kDatabaseEntry = "maejin.db";

struct BackupSource {
  std::filesystem::path data;
  std::filesystem::path keys;  // may lie outside `data`
  std::string version;         // the version of this program
  // A folder of backups inside `data` that is not backed up itself; empty: none.
  std::filesystem::path without = {};
};

struct BackupReport {
  Time taken_at{};
  std::uint64_t bytes = 0;
  std::int64_t schema = 0;
};

// Writes to `file` (mode 0600), first under another name, so that `file` is always complete. `secret` empty:
// not encrypted. `stopped` is called between pieces; if it returns true, the backup fails. Refuses a folder
// of keys that lacks a key of a kind: no server could run on the restored folder. The error is a sentence for
// the operator.
FileResult<BackupReport> WriteBackup(const BackupSource& source, const std::filesystem::path& file,
                                     std::string_view secret, Random& random, Time now,
                                     const std::function<bool()>& stopped = {});

}  // namespace maejin::embedded
