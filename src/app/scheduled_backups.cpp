#include "app/scheduled_backups.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/log.h"
#include "config/secret_file.h"

namespace maejin::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBackupPrefix = "maejin-";
constexpr std::string_view kBackupSuffix = ".backup";
constexpr Millis kBackupTickEvery{500};
constexpr Seconds kBackupRetryAfter{60};

// "maejin-20261116T230000Z.backup": the order of names is the order of times.
std::string NameAt(Time now) {
  std::string digits;
  for (const char c : FormatTime(now).substr(0, 19))
    if (c != '-' && c != ':') digits += c;
  return fmt::format("{}{}Z{}", kBackupPrefix, digits, kBackupSuffix);
}

std::string BackupSecret(const fs::path& file) {
  if (file.empty()) return {};
  const auto secret = config::ReadSecret(file, "backup key");
  if (!secret) throw std::runtime_error(secret.error());
  return secret->text;
}

std::optional<mysql::DatabaseBackupSource> DatabaseSource(const config::Config& config) {
  if (!config.mysql) return {};
  return mysql::DatabaseBackupSource{config.mysql->server, config.keys_given ? config.keys : fs::path(),
                                     MAEJIN_VERSION};
}

}  // namespace

std::vector<fs::path> BackupsIn(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (BackupTime(entry.path())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<Time> BackupTime(const fs::path& file) {
  constexpr std::size_t kDigits = 16;  // 20261116T230000Z
  auto name = file.filename().string();
  if (name.size() != kBackupPrefix.size() + kDigits + kBackupSuffix.size() ||
      !name.starts_with(kBackupPrefix) || !name.ends_with(kBackupSuffix))
    return {};
  name = name.substr(kBackupPrefix.size(), kDigits);
  return ParseTime(fmt::format("{}-{}-{}:{}:{}", name.substr(0, 4), name.substr(4, 2), name.substr(6, 5),
                               name.substr(11, 2), name.substr(13)));
}

ScheduledBackups::ScheduledBackups(const config::Config& config, const Clock& clock, Metrics& metrics)
    : settings_(config.backup),
      folder_{config.data, config.keys, MAEJIN_VERSION, config.backup.folder},
      database_(DatabaseSource(config)),
      clock_(clock),
      secret_(BackupSecret(config.backup.key_file)),
      written_(metrics.AddCounter("maejin_backups_written_total", "Scheduled backups written.")),
      failed_(metrics.AddCounter("maejin_backups_failed_total", "Scheduled backups that failed.")) {
  std::error_code error;
  if (fs::create_directories(settings_.folder, error)) chmod(settings_.folder.c_str(), 0700);
  if (const auto found = BackupsIn(settings_.folder); !found.empty())
    newest_ms_ = ToMillis(*BackupTime(found.back()));
  metrics.AddGaugeOf("maejin_backup_age_seconds",
                     "Seconds since the newest scheduled backup; -1: there is none.",
                     [this] { return AgeSeconds(); });
  metrics.AddGaugeOf("maejin_backup_bytes", "Size of the newest scheduled backup, in bytes.",
                     [this] { return static_cast<double>(bytes_.load()); });
  ticker_.emplace(kBackupTickEvery, [this] { Tick(); });
}

ScheduledBackups::~ScheduledBackups() {
  stopping_ = true;
  ticker_.reset();
}

double ScheduledBackups::AgeSeconds() const {
  const auto newest = newest_ms_.load();
  return newest == 0 ? -1 : static_cast<double>(ToMillis(clock_.Now()) - newest) / 1000;
}

Result<std::uint64_t, std::string> ScheduledBackups::Write(const fs::path& file, Time now) {
  if (database_) {
    const auto written = mysql::WriteDatabaseBackup(*database_, file, secret_, random_, now);
    if (!written) return written.error();
    return written->bytes;
  }
  const auto written =
      embedded::WriteBackup(folder_, file, secret_, random_, now, [this] { return stopping_.load(); });
  if (!written) return written.error();
  return written->bytes;
}

void ScheduledBackups::Tick() {
  const auto now = clock_.Now();
  const auto newest = newest_ms_.load();
  if (newest != 0 && now < TimeFromMillis(newest) + settings_.every) return;
  if (retry_at_ && now < *retry_at_) return;
  const auto file = settings_.folder / NameAt(now);
  const auto written = Write(file, now);
  if (stopping_) return;
  if (!written) {
    failed_.Add();
    retry_at_ = now + kBackupRetryAfter;
    LogError("backup failed: {}", written.error());
    return;
  }
  retry_at_.reset();
  newest_ms_ = ToMillis(now);
  bytes_ = *written;
  written_.Add();
  LogInfo("backup written: {}, {} bytes", file.string(), *written);
  Prune();
}

void ScheduledBackups::Prune() {
  auto found = BackupsIn(settings_.folder);
  std::error_code error;
  for (std::size_t i = 0; i + settings_.keep < found.size(); ++i) fs::remove(found[i], error);
}

}  // namespace maejin::app
