#include "cli/backup.h"

#include <cstdio>

#include <fmt/format.h>

#include "adapters/embedded/restore.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "cli/common/temporary_folder.h"
#include "config/secret_file.h"

namespace maejin::cli {
namespace {

constexpr char kSharedDatabase[] =
    "backups of a shared database (--mysql) are the database server's task: see docs/scale-out.md";

// Empty: not encrypted.
Result<std::string, std::string> BackupSecretOf(const config::Config& config) {
  if (config.backup.key_file.empty()) return std::string();
  const auto secret = config::ReadSecret(config.backup.key_file, "backup key");
  if (!secret) return secret.error();
  return secret->text;
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
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
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

}  // namespace

int RunBackup(const Invocation& invocation) {
  const auto& config = invocation.config;
  if (config.mysql) return Fail(kSharedDatabase);
  const auto secret = BackupSecretOf(config);
  if (!secret) return Fail(secret.error());
  SystemRandom random;
  const auto& file = invocation.arguments.front();
  const embedded::BackupSource source{config.data, config.keys, MAEJIN_VERSION, config.backup.folder};
  const auto written = embedded::WriteBackup(source, file, *secret, random, SystemClock().Now());
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
    json.Field("encrypted", !secret->empty());
  });
  std::puts(out.c_str());
  return kExitDone;
}

int RunRestore(const Invocation& invocation) {
  const auto& config = invocation.config;
  if (config.mysql) return Fail(kSharedDatabase);
  const auto secret = BackupSecretOf(config);
  if (!secret) return Fail(secret.error());
  const auto restored =
      embedded::RestoreBackup(invocation.arguments.front(), config.data, *secret, SystemClock().Now());
  if (!restored) return Fail(restored.error());
  return PrintContent(invocation, "restored to " + config.data.string(), *restored);
}

int RunVerify(const Invocation& invocation) {
  const auto secret = BackupSecretOf(invocation.config);
  if (!secret) return Fail(secret.error());
  const TemporaryFolder scratch("maejin-verify");
  if (scratch.path().empty()) return Fail("cannot create a temporary folder");
  const auto verified =
      embedded::VerifyBackup(invocation.arguments.front(), scratch.path(), *secret, SystemClock().Now());
  if (!verified) return Fail(verified.error());
  return PrintContent(invocation, "intact", *verified);
}

}  // namespace maejin::cli
