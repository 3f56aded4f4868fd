#include "app/node_checks.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/data_folder.h"
#include "adapters/embedded/high_water.h"
#include "adapters/embedded/key_store.h"
#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/audit_mark.h"
#include "adapters/mysql/examine.h"
#include "adapters/mysql/key_store.h"
#include "adapters/mysql/migrations.h"
#include "adapters/redis/client/examine.h"
#include "app/scheduled_backups.h"
#include "app/site_logo.h"
#include "app/user_identity.h"
#include "base/clock.h"
#include "base/run_task.h"
#include "config/secret_file.h"
#include "server/tls_certificate.h"

namespace maejin::app {
namespace {

constexpr std::uint64_t kLittleSpaceBytes = 1ULL << 30;
constexpr double kSlowSyncMillis = 20;
constexpr int kSyncs = 20;
constexpr rlim_t kSpareFiles = 200;  // beyond connections: database, logs, event loops

// The folder itself, or its nearest existing parent.
std::filesystem::path NearestExisting(std::filesystem::path path) {
  path = std::filesystem::absolute(path);
  while (!std::filesystem::exists(path) && path.has_parent_path() && path != path.parent_path())
    path = path.parent_path();
  return path;
}

Finding CheckFolder(const config::Config& config) {
  const auto folder = config.data.string();
  if (const auto server = embedded::DataFolder::RunningServer(config.data); !server.empty())
    return {Health::kGood, "data", fmt::format("{}: in use by the server on {}", folder, server)};
  if (access(NearestExisting(config.data).c_str(), W_OK | X_OK) != 0) {
    return {Health::kBad, "data", fmt::format("{}: not writable: {}", folder, std::strerror(errno))};
  }
  const bool there = std::filesystem::exists(config.data);
  return {Health::kGood, "data",
          fmt::format("{}: {}", folder, there ? "writable" : "will be created on first start")};
}

Finding CheckDisk(const config::Config& config) {
  struct statvfs disk{};
  const auto place = NearestExisting(config.data);
  if (statvfs(place.c_str(), &disk) != 0) return {Health::kBad, "disk", std::strerror(errno)};
  const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  const auto text =
      fmt::format("{:.1f} GiB free", static_cast<double>(free) / static_cast<double>(1ULL << 30));
  return {free < kLittleSpaceBytes ? Health::kWarning : Health::kGood, "disk", text};
}

Finding CheckSync(const config::Config& config) {
  const auto file = NearestExisting(config.data) / fmt::format(".maejin-doctor-{}", getpid());
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return {Health::kBad, "fsync", fmt::format("cannot write {}: {}", file.string(), std::strerror(errno))};
  bool good = true;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kSyncs; ++i) good = good && write(fd, "maejin", 6) == 6 && fdatasync(fd) == 0;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  close(fd);
  unlink(file.c_str());
  if (!good) return {Health::kBad, "fsync", "writing or syncing failed"};
  const double each = took.count() / kSyncs;
  return {each > kSlowSyncMillis ? Health::kWarning : Health::kGood, "fsync",
          fmt::format("{:.2f} ms each", each)};
}

Finding CheckClock() {
  const auto now = SystemClock().Now();
  if (now < *ParseTime("2025-01-01T00:00:00Z")) {
    return {Health::kBad, "clock", fmt::format("{} is in the past", FormatTime(now))};
  }
  timex state{};
  const bool unsynchronised = adjtimex(&state) == TIME_ERROR;
  return {unsynchronised ? Health::kWarning : Health::kGood, "clock",
          FormatTime(now) + (unsynchronised ? ", not synchronised: sold-out times depend on the clock" : "")};
}

Finding CheckLimits(const config::Config& config) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const auto needed = config.http.connections + kSpareFiles;
  if (files.rlim_cur >= needed)
    return {Health::kGood, "files", fmt::format("limit of {} open files", files.rlim_cur)};
  return {Health::kWarning, "files",
          fmt::format("limit of {} open files, but http.connections = {} needs {}: raise `ulimit -n`, or "
                      "lower the setting",
                      files.rlim_cur, config.http.connections, needed)};
}

Finding CheckCertificate(const config::Config& config) {
  constexpr auto kSoon = std::chrono::days(14);
  http::TlsCertificate certificate;
  const auto loaded = certificate.Load({config.tls_cert_file, config.tls_key_file});
  if (!loaded) return {Health::kBad, "certificate", loaded.error()};
  const auto left = std::chrono::floor<std::chrono::days>(certificate.expires_at() - SystemClock().Now());
  const auto text = fmt::format("{}: ends {}, in {} days", config.tls_cert_file.string(),
                                FormatTime(certificate.expires_at()), left.count());
  if (left.count() < 0) return {Health::kBad, "certificate", text};
  return {left < kSoon ? Health::kWarning : Health::kGood, "certificate", text};
}

Finding CheckAdminKey(const config::Config& config) {
  const auto file = config.admin_key_file.string();
  if (!std::filesystem::exists(config.admin_key_file)) {
    const bool is_default = config.admin_key_file == config.data / "admin.key";
    return is_default ? Finding{Health::kGood, "admin key", "will be created on first start"}
                      : Finding{Health::kBad, "admin key", fmt::format("{} does not exist", file)};
  }
  const auto key = config::ReadSecret(config.admin_key_file, "admin key");
  if (!key) return {Health::kBad, "admin key", key.error()};
  struct stat status{};
  const bool open_to_others = stat(file.c_str(), &status) == 0 && (status.st_mode & 077) != 0;
  return {open_to_others ? Health::kWarning : Health::kGood, "admin key",
          file + (open_to_others ? ": readable by other users" : "")};
}

// A sentence about changes that the high-water mark names and the database lacks; absent: it lacks none.
std::optional<std::string> FindLoss(const config::Config& config, embedded::Connection& reader) {
  const auto file = embedded::MarkFile(config.data);
  const auto mark = embedded::ReadMark(file);
  if (!mark || !std::filesystem::exists(config.keys)) return std::nullopt;
  SystemRandom random;
  const auto keys = embedded::OpenKeys(config.keys, random);
  if (!keys) return keys.error();
  const auto checked = embedded::CheckMark(*mark, file, reader, **keys);
  if (checked) return std::nullopt;
  return checked.error();
}

Finding BrokenAt(std::int64_t row) {
  return {
      Health::kBad, "audit",
      fmt::format(
          "hash chain broken at row {}: this row was changed or removed, later rows cannot be trusted", row)};
}

Finding CheckSharedAudit(const config::Config& config) {
  try {
    mysql::Connection connection(config.mysql->server);
    if (mysql::SchemaVersionOf(connection) < mysql::SchemaVersion())
      return {Health::kGood, "audit", "checked once the schema is up to date"};
    SystemRandom random;
    auto keys = config.keys_given
                    ? embedded::OpenKeys(config.keys, random)
                    : Result<std::unique_ptr<KeyRing>, std::string>(mysql::OpenKeys(connection, random));
    if (!keys) return {Health::kBad, "audit", keys.error()};
    const mysql::AuditMark mark(mysql::AuditMark::FileIn(config.data), **keys);
    if (const auto lost = mark.FindLoss(connection)) return {Health::kBad, "audit", *lost};
    if (const auto broken = mysql::FirstBrokenAudit(connection)) return BrokenAt(*broken);
    return {Health::kGood, "audit", "hash chain intact"};
  } catch (const mysql::MysqlError& error) {
    return {Health::kBad, "audit", fmt::format("the database cannot be read: {}", error.what())};
  }
}

Finding CheckAudit(const config::Config& config) {
  if (config.mysql) return CheckSharedAudit(config);
  const auto database = config.data / "maejin.db";
  if (!std::filesystem::exists(database)) return {Health::kGood, "audit", "will be created on first start"};
  try {
    embedded::Connection reader(database.string(), embedded::Connection::Mode::kReadOnly);
    const auto broken = embedded::AuditLog::FirstBroken(reader);
    if (const auto lost = FindLoss(config, reader)) return {Health::kBad, "audit", *lost};
    return broken ? BrokenAt(*broken) : Finding{Health::kGood, "audit", "hash chain intact"};
  } catch (const embedded::SqliteError& error) {
    return {Health::kBad, "audit", fmt::format("{} cannot be read: {}", database.string(), error.what())};
  }
}

std::vector<Finding> CheckRedis(const redis::Address& address) {
  redis::Client client(address);
  return RunTask(redis::Examine(client));
}

Finding CheckUsers(const config::Config& config) {
  if (config.auth_users == config::UserAuth::kTrusted)
    return {Health::kGood, "users", "trusted: a proxy or shop of your own must check them"};
  const SystemClock clock;
  if (const auto identity = MakeIdentity(config, clock); !identity)
    return {Health::kBad, "users", identity.error()};
  std::vector<std::string_view> missing;
  if (config.auth_issuer.empty()) missing.emplace_back("auth.issuer");
  if (config.auth_audience.empty()) missing.emplace_back("auth.audience");
  if (missing.empty()) return {Health::kGood, "users", "signed, with issuer and audience"};
  return {Health::kWarning, "users",
          fmt::format("signed, without {}: a token that the same key signed for another service is accepted",
                      fmt::join(missing, " and "))};
}

// The errors with which `serve` would refuse the files that settings name. The certificate, the admin key and
// the key of user tokens have checks of their own.
std::vector<std::string> UnusableFiles(const config::Config& config) {
  std::vector<std::string> errors;
  const auto& payment = config.payment;
  if (payment.provider == config::PaymentKind::kCallback &&
      payment.callback_secret_file != config.data / "payment.secret") {
    const auto secret = config::ReadSecret(payment.callback_secret_file, "payment secret");
    if (!secret) errors.push_back(secret.error());
  }
  if (!config.backup.key_file.empty()) {
    const auto secret = config::ReadSecret(config.backup.key_file, "backup key");
    if (!secret) errors.push_back(secret.error());
  }
  if (!config.site.logo.empty()) {
    const auto logo = ReadLogo(config.site.logo);
    if (!logo) errors.push_back(logo.error());
  }
  const auto require = [&](const char* setting, const std::filesystem::path& file) {
    if (!file.empty() && access(file.c_str(), R_OK) != 0)
      errors.push_back(fmt::format("{}: cannot read {}", setting, file.string()));
  };
  require("webhooks.ca-file", config.webhooks.ca_file);
  require("payment.refund-ca-file", payment.refund_ca_file);
  return errors;
}

Finding CheckNamedFiles(const config::Config& config) {
  const auto errors = UnusableFiles(config);
  if (errors.empty()) return {Health::kGood, "named files", "every file that a setting names can be used"};
  return {Health::kBad, "named files", fmt::format("{}", fmt::join(errors, "; "))};
}

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

}  // namespace

std::vector<Finding> ExamineNode(const config::Config& config) {
  // The command line has already checked the configuration.
  std::vector<Finding> findings{{Health::kGood, "configuration", "valid"},
                                CheckFolder(config),
                                CheckDisk(config),
                                CheckSync(config),
                                CheckClock(),
                                CheckLimits(config),
                                CheckAdminKey(config),
                                CheckAudit(config)};
  findings.push_back(CheckUsers(config));
  findings.push_back(CheckNamedFiles(config));
  if (!config.tls_cert_file.empty()) findings.push_back(CheckCertificate(config));
  if (!config.mysql) findings.push_back(CheckBackup(config, SystemClock().Now()));
  const auto add = [&](std::vector<Finding> more) { std::ranges::move(more, std::back_inserter(findings)); };
  if (config.redis) add(CheckRedis(*config.redis));
  if (config.mysql) add(mysql::Examine(*config.mysql));
  return findings;
}

}  // namespace maejin::app
