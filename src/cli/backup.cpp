#include "cli/backup.h"

#include <cstdio>

#include <fmt/format.h>

#include "adapters/embedded/restore.h"
#include "adapters/mysql/backup.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "cli/common/temporary_folder.h"
#include "config/secret_file.h"

namespace maejin::cli {
namespace {

// An empty text: not encrypted.
Result<config::Secret, std::string> BackupSecretOf(const config::Config& config) {
  if (config.backup.key_file.empty()) return config::Secret();
  return config::ReadSecret(config.backup.key_file, "backup key");
}

int PrintContent(const Invocation& invocation, std::string_view done,
                 const embedded::BackupContent& content) {
  const auto& file = invocation.arguments.front();
  if (!invocation.json) {
    fmt::print("{}: {}, of {}, {} concerts, {} reservations, {} places, {} audit rows{}\n", file, done,
               FormatTime(content.taken_at), content.concerts, content.reservations, content.places,
               content.audit_rows, content.encrypted ? ", encrypted" : "");
    return kExitDone;
  }
  const auto out = JsonObjectText([&](JsonWriter& json) {
    json.Field("file", file);
    json.Field("takenAt", content.taken_at);
    json.Field("version", content.version);
    json.Field("schema", content.schema);
    json.Field("concerts", content.concerts);
    json.Field("reservations", content.reservations);
    json.Field("places", content.places);
    json.Field("auditRows", content.audit_rows);
    json.Field("encrypted", content.encrypted);
  });
  std::puts(out.c_str());
  return kExitDone;
}

int PrintDatabase(const Invocation& invocation, std::string_view done, const mysql::DatabaseBackup& backup) {
  const auto& file = invocation.arguments.front();
  if (!invocation.json) {
    fmt::print("{}: {}, of {}, {} rows of {} tables{}\n", file, done, FormatTime(backup.taken_at),
               backup.rows, backup.tables, backup.encrypted ? ", encrypted" : "");
    return kExitDone;
  }
  const auto out = JsonObjectText([&](JsonWriter& json) {
    json.Field("file", file);
    json.Field("takenAt", backup.taken_at);
    json.Field("version", backup.version);
    json.Field("schema", backup.schema);
    json.Field("tables", backup.tables);
    json.Field("rows", backup.rows);
    json.Field("encrypted", backup.encrypted);
  });
  std::puts(out.c_str());
  return kExitDone;
}

mysql::DatabaseBackupSource DatabaseOf(const config::Config& config) {
  return {config.mysql->server, config.keys_given ? config.keys : std::filesystem::path(), MAEJIN_VERSION};
}

int BackUpDatabase(const Invocation& invocation, const std::string& secret, Random& random) {
  const auto written = mysql::WriteDatabaseBackup(DatabaseOf(invocation.config), invocation.arguments.front(),
                                                  secret, random, SystemClock().Now());
  if (!written) return Fail(written.error());
  return PrintDatabase(invocation, fmt::format("{} bytes", written->bytes), *written);
}

int RestoreDatabase(const Invocation& invocation, const std::string& secret) {
  const auto& config = invocation.config;
  if (!config.mysql) return Fail("this is a backup of a shared database: give --mysql with an empty one");
  if (!mysql::IsDatabaseBackup(invocation.arguments.front()))
    return Fail("this is no backup of a shared database: restore it with --data to a new folder");
  const auto restored = mysql::RestoreDatabaseBackup(invocation.arguments.front(), DatabaseOf(config), secret,
                                                     SystemClock().Now());
  if (!restored) return Fail(restored.error());
  return PrintDatabase(invocation, "restored to " + mysql::Redacted(config.mysql->server), *restored);
}

}  // namespace

int RunBackup(const Invocation& invocation) {
  const auto& config = invocation.config;
  const auto secret = BackupSecretOf(config);
  if (!secret) return Fail(secret.error());
  SystemRandom random;
  if (config.mysql) return BackUpDatabase(invocation, secret->text, random);
  const auto& file = invocation.arguments.front();
  const embedded::BackupSource source{config.data, config.keys, MAEJIN_VERSION, config.backup.folder};
  const auto written = embedded::WriteBackup(source, file, secret->text, random, SystemClock().Now());
  if (!written) return Fail(written.error());
  if (!invocation.json) {
    fmt::print("{}: {} bytes, of {}\n", file, written->bytes, FormatTime(written->taken_at));
    return kExitDone;
  }
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("file", file);
    json.Field("takenAt", written->taken_at);
    json.Field("bytes", written->bytes);
    json.Field("encrypted", !secret->text.empty());
  });
  std::puts(out.c_str());
  return kExitDone;
}

int RunRestore(const Invocation& invocation) {
  const auto& config = invocation.config;
  const auto secret = BackupSecretOf(config);
  if (!secret) return Fail(secret.error());
  if (config.mysql || mysql::IsDatabaseBackup(invocation.arguments.front()))
    return RestoreDatabase(invocation, secret->text);
  const auto restored =
      embedded::RestoreBackup(invocation.arguments.front(), config.data, secret->text, SystemClock().Now());
  if (!restored) return Fail(restored.error());
  return PrintContent(invocation, "restored to " + config.data.string(), *restored);
}

int RunVerify(const Invocation& invocation) {
  const auto secret = BackupSecretOf(invocation.config);
  if (!secret) return Fail(secret.error());
  if (mysql::IsDatabaseBackup(invocation.arguments.front())) {
    const auto verified = mysql::VerifyDatabaseBackup(invocation.arguments.front(), secret->text);
    return verified ? PrintDatabase(invocation, "intact", *verified) : Fail(verified.error());
  }
  const TemporaryFolder scratch("maejin-verify");
  if (scratch.path().empty()) return Fail("cannot create a temporary folder");
  const auto verified =
      embedded::VerifyBackup(invocation.arguments.front(), scratch.path(), secret->text, SystemClock().Now());
  if (!verified) return Fail(verified.error());
  return PrintContent(invocation, "intact", *verified);
}

}  // namespace maejin::cli
