#include "cli/migrate.h"

#include <cstdio>

#include <fmt/format.h>

#include "adapters/mysql/migrations.h"
#include "base/json_text.h"

namespace maejin::cli {
namespace {

std::string AsJson(const std::string& database, int applied) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("database", database);
    json.Field("schema", mysql::SchemaVersion());
    json.Field("applied", applied);
  });
}

std::string AsText(const std::string& database, int applied) {
  return fmt::format(
      "{}: schema {}, {}", database, mysql::SchemaVersion(),
      applied == 0 ? std::string("already up to date") : fmt::format("{} steps applied", applied));
}

}  // namespace

int RunMigrate(const Invocation& invocation) {
  const auto& database = invocation.config.mysql;
  if (!database)
    return FailUsage(
        "migrate needs --mysql: it is for a shared database (a data folder is migrated on start)");
  try {
    mysql::Connection connection(mysql::WithLongTimeouts(database->server));
    const int applied = mysql::Migrate(connection);
    const auto name = mysql::Redacted(database->server);
    std::puts((invocation.json ? AsJson(name, applied) : AsText(name, applied)).c_str());
  } catch (const mysql::MysqlError& error) {
    return Fail(error.what());
  }
  return kExitDone;
}

}  // namespace maejin::cli
