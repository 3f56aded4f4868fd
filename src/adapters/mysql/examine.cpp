#include "adapters/mysql/examine.h"

#include <charconv>

#include <fmt/format.h>

#include "adapters/mysql/migrations.h"
#include "base/clock.h"

namespace maejin::mysql {
namespace {

using enum Health;

constexpr Millis kClocksMayDiffer{1000};
constexpr char kAbout[] = "database";

std::string Variable(Connection& connection, const std::string& name) {
  auto row = connection.Query("SHOW GLOBAL VARIABLES LIKE '" + name + "'");
  return row.Next() ? std::string(row.Text(1)) : std::string();
}

std::int64_t Number(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "10.11.19-MariaDB-…" → {10, 11}
std::pair<int, int> MajorMinor(const std::string& version) {
  std::pair<int, int> parts{0, 0};
  const auto* end = version.data() + version.size();
  const auto major = std::from_chars(version.data(), end, parts.first);
  if (major.ptr != end && *major.ptr == '.') std::from_chars(major.ptr + 1, end, parts.second);
  return parts;
}

Finding LookAtVersion(Connection& connection) {
  const auto version = connection.ServerVersion();
  const auto parts = MajorMinor(version);
  if (connection.IsMariaDb()) {
    if (parts < std::pair{10, 6})
      return {kBad, kAbout, fmt::format("{} is too old: 10.6 or newer is needed", version)};
    return {kGood, kAbout, version};
  }
  if (parts < std::pair{8, 0})
    return {kBad, kAbout, fmt::format("MySQL {} is too old: 8.0 or newer is needed", version)};
  return {kWarning, kAbout, fmt::format("MySQL {}: the tests of maejin run on MariaDB", version)};
}

Finding LookAtEncryption(Connection& connection, const ServerOptions& server) {
  if (const auto cipher = connection.Cipher(); !cipher.empty())
    return {kGood, kAbout, fmt::format("encrypted with {}", cipher)};
  const bool local = !server.socket.empty() || server.host == "localhost" || server.host == "::1" ||
                     server.host.starts_with("127.");
  if (local) return {kGood, kAbout, "not encrypted, and on this machine"};
  return {kWarning, kAbout, "not encrypted: add ?tls=verify to the address, unless the network is your own"};
}

Finding LookAtIsolation(Connection& connection) {
  auto row = connection.Query(
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation')");
  const bool good = row.Next() && row.Text(1) == "READ-COMMITTED";
  if (!good) return {kBad, kAbout, "sessions cannot be set to READ COMMITTED"};
  return {kGood, kAbout, "READ COMMITTED, set by every session"};
}

Finding LookAtClock(Connection& connection) {
  const auto before = SystemClock().Now();
  auto row = connection.Query("SELECT UTC_TIMESTAMP(3), @@session.time_zone, @@global.time_zone");
  row.Next();
  const auto behind = before - row.At(0);
  const auto zone = fmt::format("sessions in UTC ({} by default)", row.Text(2));
  if (row.Text(1) != "+00:00") return {kBad, kAbout, "sessions cannot be set to UTC"};
  if (std::chrono::abs(behind) > kClocksMayDiffer)
    return {kWarning, kAbout, fmt::format("{}; its clock and ours differ by {} ms", zone, behind.count())};
  return {kGood, kAbout, zone};
}

Finding LookAtFlush(Connection& connection) {
  const auto flush = Variable(connection, "innodb_flush_log_at_trx_commit");
  if (flush != "1") {
    return {kBad, kAbout,
            fmt::format("innodb_flush_log_at_trx_commit = {}: a power failure loses paid seats; set it to 1",
                        flush)};
  }
  if (Variable(connection, "log_bin") == "ON" && Variable(connection, "sync_binlog") != "1")
    return {kWarning, kAbout, "flushed at commit, but the binary log is not: set sync_binlog = 1"};
  return {kGood, kAbout, "flushed to disk at every commit"};
}

Finding LookAtWriting(Connection& connection) {
  if (Variable(connection, "read_only") == "ON" || Variable(connection, "super_read_only") == "ON")
    return {kBad, kAbout, "read-only: this is a replica, or read_only is set"};
  try {
    connection.Command("DROP TABLE IF EXISTS maejin_doctor");
    connection.Command("CREATE TABLE maejin_doctor (a INT NOT NULL PRIMARY KEY, b INT) ENGINE = InnoDB");
    connection.Command("ALTER TABLE maejin_doctor ADD INDEX maejin_doctor_b (b)");
    connection.Command("INSERT INTO maejin_doctor (a, b) VALUES (1, 1)");
    connection.Command("UPDATE maejin_doctor SET b = 2 WHERE a = 1");
    connection.Command("SELECT a FROM maejin_doctor FOR UPDATE SKIP LOCKED");
    connection.Command("DELETE FROM maejin_doctor");
    connection.Command("DROP TABLE maejin_doctor");
  } catch (const MysqlError& error) {
    return {kBad, kAbout, fmt::format("the account needs all rights on its database: {}", error.what())};
  }
  return {kGood, kAbout, "the account has all rights that maejin needs"};
}

Finding LookAtConnections(Connection& connection, const PoolOptions& pool) {
  const auto most = Number(Variable(connection, "max_connections"));
  auto row = connection.Query("SHOW GLOBAL STATUS LIKE 'Threads_connected'");
  const auto used = row.Next() ? Number(std::string(row.Text(1))) : 0;
  const auto each = static_cast<std::int64_t>(pool.connections);
  const auto text = fmt::format("{} of {} connections in use, {} for each node", used, most, each);
  if (most < each) return {kBad, kAbout, text + ": raise max_connections, or lower ?connections="};
  return {most - used < each ? kWarning : kGood, kAbout, text};
}

Finding LookAtSchema(Connection& connection) {
  const auto version = SchemaVersionOf(connection);
  if (version > SchemaVersion())
    return {kBad, kAbout, fmt::format("schema {}: written by a newer maejin", version)};
  if (version < SchemaVersion()) {
    return {kGood, kAbout,
            fmt::format("schema {}: the next start, or `maejin migrate`, brings it to {}", version,
                        SchemaVersion())};
  }
  return {kGood, kAbout, fmt::format("schema {}, up to date", version)};
}

}  // namespace

std::vector<Finding> Examine(const DatabaseUrl& url) {
  std::vector<Finding> findings;
  try {
    Connection connection(url.server);
    findings.push_back({kGood, kAbout, "answers, " + Redacted(url.server)});
    findings.push_back(LookAtVersion(connection));
    findings.push_back(LookAtEncryption(connection, url.server));
    findings.push_back(LookAtIsolation(connection));
    findings.push_back(LookAtClock(connection));
    findings.push_back(LookAtFlush(connection));
    findings.push_back(LookAtWriting(connection));
    findings.push_back(LookAtConnections(connection, url.pool));
    findings.push_back(LookAtSchema(connection));
  } catch (const MysqlError& error) {
    findings.push_back({kBad, kAbout, error.what()});
  }
  return findings;
}

}  // namespace maejin::mysql
