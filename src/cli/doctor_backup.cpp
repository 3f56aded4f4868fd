#include "cli/doctor_backup.h"

#include <fmt/format.h>

#include "app/scheduled_backups.h"

namespace maejin::cli {

Finding CheckBackup(const config::Config& config, Time now) {
  const auto& backup = config.backup;
  if (backup.folder.empty())
    return {Health::kGood, "backup", "not scheduled: set backup.folder, or run `maejin backup`"};
  const auto found = app::BackupsIn(backup.folder);
  const bool serves = std::filesystem::exists(config.data / "maejin.db");
  if (found.empty()) {
    return {serves ? Health::kWarning : Health::kGood, "backup",
            fmt::format("{}: no backup yet", backup.folder.string())};
  }
  const auto age = std::chrono::floor<std::chrono::minutes>(now - *app::BackupTime(found.back()));
  const bool old = age > 2 * backup.every;
  return {old ? Health::kWarning : Health::kGood, "backup",
          fmt::format("{}: {} minutes old{}", found.back().string(), age.count(),
                      old ? fmt::format(", though backup.every-minutes is {}", backup.every.count()) : "")};
}

}  // namespace maejin::cli
