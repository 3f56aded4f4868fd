// Writes backups of the data folder, or of the shared database, to a folder at an interval, and removes the
// oldest ones.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "adapters/embedded/backup.h"
#include "adapters/mysql/backup.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/ticker.h"
#include "config/config.h"

namespace maejin::app {

// The backups of a folder, oldest first: maejin-20261116T230000Z.backup.
std::vector<std::filesystem::path> BackupsIn(const std::filesystem::path& folder);
// When the backup was taken, by the file's name; absent if this is not the name of a scheduled backup.
std::optional<Time> BackupTime(const std::filesystem::path& file);

class ScheduledBackups {
 public:
  // Starts the schedule. Clock and metrics outlive it. Throws std::runtime_error with a sentence for the
  // operator if the key file cannot be read.
  ScheduledBackups(const config::Config& config, const Clock& clock, Metrics& metrics);
  // Abandons an unfinished backup of the data folder, but waits for the end of one of the shared database.
  ~ScheduledBackups();

 private:
  void Tick();
  void Prune();
  double AgeSeconds() const;
  // Returns the size of the file. The error is a sentence for the operator.
  Result<std::uint64_t, std::string> Write(const std::filesystem::path& file, Time now);

  const config::Config::Backup settings_;
  const embedded::BackupSource folder_;
  const std::optional<mysql::DatabaseBackupSource> database_;  // absent: the data folder is backed up
  const Clock& clock_;
  SystemRandom random_;
  std::string secret_;
  Counter& written_;
  Counter& failed_;
  std::atomic<std::int64_t> newest_ms_{0};  // time of the newest backup; 0: there is none
  std::atomic<std::uint64_t> bytes_{0};     // size of the newest backup of this process
  std::optional<Time> retry_at_;            // after a failure; ticker thread only
  std::atomic<bool> stopping_{false};
  std::optional<Ticker> ticker_;  // last: its thread uses the other members
};

}  // namespace maejin::app
