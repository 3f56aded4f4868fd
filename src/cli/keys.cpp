#include "cli/keys.h"

#include <cstdio>

#include <fmt/format.h>

#include "adapters/embedded/data_folder.h"
#include "adapters/embedded/database.h"
#include "adapters/embedded/key_store.h"
#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/key_store.h"
#include "app/key_rotation.h"
#include "base/clock.h"
#include "cli/common/admin_client.h"

namespace maejin::cli {
namespace {

int RotateThrough(const std::string& server, const config::Config& config) {
  auto client = AdminClient(server, config);
  if (!client) return Fail(client.error());
  const auto answer =
      client->Call({.method = "POST", .target = "/api/v1/admin/keys/rotate", .body = {}, .headers = {}});
  if (!answer) return Fail(answer.error());
  if (answer->status != 200)
    return Fail(fmt::format("{} answered {}: {}", server, answer->status, answer->body));
  fmt::print("{}\n", answer->body);
  return kExitDone;
}

// In the running transaction.
void AppendRotation(mysql::Connection& connection) {
  mysql::AppendAudit(connection, {SystemClock().Now(), "command line", "keys.rotate", "signing keys", ""});
}

int RotateInDatabase(const mysql::ServerOptions& server) {
  try {
    SystemRandom random;
    mysql::Connection connection(server);
    const auto keys = mysql::OpenKeys(connection, random);
    connection.Command("BEGIN");
    mysql::AddNewestKeys(connection, random);
    AppendRotation(connection);
    connection.Command("COMMIT");
    mysql::RefreshKeys(connection, *keys);
    fmt::print("{}\n", keys->Jwks());
  } catch (const mysql::MysqlError& error) {
    return Fail(error.what());
  }
  return kExitDone;
}

// Rotates the key files of a stopped node, and records it in the shared database. The caller has the lock of
// the node's data folder.
int RotateFiles(const mysql::ServerOptions& server, const std::filesystem::path& files) {
  SystemRandom random;
  try {
    mysql::Connection connection(server);
    auto keys = embedded::OpenKeys(files, random);
    if (!keys) return Fail(keys.error());
    if (const auto rotated = embedded::RotateKeys(files, random, **keys); !rotated)
      return Fail(rotated.error());
    connection.Command("BEGIN");
    AppendRotation(connection);
    connection.Command("COMMIT");
    fmt::print("{}\n", (*keys)->Jwks());
    return kExitDone;
  } catch (const mysql::MysqlError& error) {
    return Fail(fmt::format("cannot write the audit log of the database: {}", error.what()));
  }
}

// For a folder on which no server runs; `folder` holds its lock. The error is a sentence.
Result<std::unique_ptr<KeyRing>, std::string> RotateHere(const embedded::DataFolder& folder,
                                                         const config::Config& config) {
  SystemRandom random;
  auto keys = embedded::OpenKeys(config.keys, random);
  if (!keys) return keys.error();
  const auto path = folder.database().string();
  embedded::Journal journal(embedded::OpenDatabase(path));
  embedded::Connection reader(path, embedded::Connection::Mode::kReadOnly);
  embedded::AuditLog audit(reader, journal);
  const auto rotated =
      app::RotateKeys({config.keys, random, **keys, audit}, "command line", SystemClock().Now());
  if (!rotated) return rotated.error();
  journal.Flush();
  return keys;
}

}  // namespace

int RunKeysRotate(const Invocation& invocation) {
  const auto& config = invocation.config;
  if (const auto server = RunningServer(config)) return RotateThrough(*server, config);
  if (config.mysql && !config.keys_given) return RotateInDatabase(config.mysql->server);
  const auto folder = embedded::DataFolder::Open(config.data, embedded::Missing::kRefuse);
  if (!folder) return Fail(folder.error());
  if (config.mysql) return RotateFiles(config.mysql->server, config.keys);
  try {
    const auto keys = RotateHere(*folder, config);
    if (!keys) return Fail(keys.error());
    fmt::print("{}\n", (*keys)->Jwks());
    return kExitDone;
  } catch (const embedded::SqliteError& error) {
    return Fail(fmt::format("cannot write the audit log of {}: {}", config.data.string(), error.what()));
  }
}

}  // namespace maejin::cli
