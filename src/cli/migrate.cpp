#include "cli/migrate.h"

#include <cstdio>

#include <fmt/format.h>

#include "adapters/mysql/migrations.h"

namespace maejin::cli {

int RunMigrate(const Invocation& invocation) {
  const auto& database = invocation.config.mysql;
  if (!database)
    return FailUsage(
        "migrate needs --mysql: it is for a shared database (a data folder is migrated on start)");
  try {
    mysql::Connection connection(mysql::WithLongTimeouts(database->server));
    const int applied = mysql::Migrate(connection);
    fmt::print("{}: schema {}, {}\n", mysql::Redacted(database->server), mysql::SchemaVersion(),
               applied == 0 ? std::string("already up to date") : fmt::format("{} steps applied", applied));
  } catch (const mysql::MysqlError& error) {
    return Fail(error.what());
  }
  return kExitDone;
}

}  // namespace maejin::cli
