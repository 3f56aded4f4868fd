#include "adapters/mysql/backup.h"

#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/backup_checks.h"
#include "adapters/mysql/migrations.h"
#include "base/backup_manifest.h"
#include "base/json_text.h"
#include "base/sealed_entries.h"

namespace maejin::mysql {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRowsPrefix = "rows/";
constexpr std::string_view kKeysPrefix = "keys/";
// A statement of a backup ends after this many bytes, far below the default max_allowed_packet (16 MiB). A
// large row may make it longer.
constexpr std::size_t kStatementBytes = 256 << 10;
constexpr std::uint64_t kLargestEntry = 64 << 20;
// These tables are not in a backup: Migrate() or running nodes fill them again.
constexpr std::string_view kLeftOut[] = {"schema_versions", "pulse", "nodes", "outbox_leases"};

struct TableShape {
  std::string name;
  std::vector<std::string> columns;
  std::vector<bool> binary;  // by column
};

bool IsLeftOut(std::string_view table) {
  for (const auto each : kLeftOut)
    if (table == each) return true;
  return false;
}

std::vector<TableShape> ShapesOf(Connection& connection) {
  std::vector<TableShape> shapes;
  auto rows = connection.Query(
      "SELECT c.table_name, c.column_name, c.data_type IN ('binary', 'varbinary', 'tinyblob', 'blob', "
      "'mediumblob', 'longblob') FROM information_schema.columns c JOIN information_schema.tables t ON "
      "t.table_schema = c.table_schema AND t.table_name = c.table_name WHERE c.table_schema = DATABASE() AND "
      "t.table_type = 'BASE TABLE' AND c.extra NOT LIKE '%GENERATED%' ORDER BY c.table_name, "
      "c.ordinal_position");
  while (rows.Next()) {
    const std::string table(rows.Text(0));
    if (IsLeftOut(table)) continue;
    if (shapes.empty() || shapes.back().name != table) shapes.push_back({table, {}, {}});
    shapes.back().columns.emplace_back(rows.Text(1));
    shapes.back().binary.push_back(rows.Int(2) == 1);
  }
  return shapes;
}

// One text for each row: "(1, 'text', x'00ff', NULL)". The database server quotes each value, so no value can
// end its literal.
std::string SelectRows(const TableShape& shape) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    const auto& name = shape.columns[i];
    cells.push_back(shape.binary[i]
                        ? fmt::format("IF(`{0}` IS NULL, 'NULL', CONCAT('x''', HEX(`{0}`), ''''))", name)
                        : fmt::format("QUOTE(`{}`)", name));
  }
  return fmt::format("SELECT CONCAT('(', {}, ')') FROM `{}`", fmt::join(cells, ", ', ', "), shape.name);
}

std::string InsertInto(const TableShape& shape) {
  return fmt::format("INSERT INTO `{}` (`{}`) VALUES ", shape.name, fmt::join(shape.columns, "`, `"));
}

FileResult<Done> WriteTable(Connection& connection, const TableShape& shape, SealedWriter& out,
                            std::int64_t& count) {
  const auto name = std::string(kRowsPrefix) + shape.name;
  const auto begin = InsertInto(shape);
  auto statement = begin;
  auto rows = connection.Query(SelectRows(shape));
  while (rows.Next()) {
    if (statement.size() > begin.size()) statement += ",\n";
    if (rows.IsNull(0)) throw MysqlError(kDamaged, "a row is larger than max_allowed_packet");
    statement += rows.Text(0);
    ++count;
    if (statement.size() < kStatementBytes) continue;
    const auto written = WriteEntry(out, name, statement);
    if (!written) return written;
    statement = begin;
  }
  return statement.size() > begin.size() ? WriteEntry(out, name, statement) : FileResult<Done>(Done{});
}

FileResult<Done> WriteKeys(const fs::path& folder, SealedWriter& out) {
  std::error_code error;
  bool any = false;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in.good() && !in.eof()) return fmt::format("cannot read {}", entry.path().string());
    const auto written = WriteEntry(out, std::string(kKeysPrefix) + entry.path().filename().string(), text);
    if (!written) return written;
    any = true;
  }
  if (error) return fmt::format("cannot read {}: {}", folder.string(), error.message());
  if (!any) return fmt::format("no signing keys in {}", folder.string());
  return Done{};
}

bool HasKeyRows(Connection& connection) {
  return connection.Query("SELECT 1 FROM signing_keys LIMIT 1").Next();
}

std::string TotalsOf(const DatabaseBackup& backup) {
  return fmt::format("{} {}", backup.tables, backup.rows);
}

std::string OtherSchema(const fs::path& file, const BackupManifest& manifest) {
  return fmt::format("{} has schema {}, this maejin writes {}: restore it with maejin {}, then migrate",
                     file.string(), manifest.schema, SchemaVersion(), manifest.version);
}

// Reads the file to its end. Refuses a backup of another schema. Calls `take_rows` with each
// statement, and `take_key` with the name and text of each key file.
template <class TakeRows, class TakeKey>
FileResult<DatabaseBackup> ReadBackup(const fs::path& file, std::string_view secret, TakeRows take_rows,
                                      TakeKey take_key) {
  auto in = SealedReader::Open(file, kDatabaseBackupTitle, secret);
  if (!in) return in.error();
  DatabaseBackup backup;
  std::string before;
  for (bool first = true;; first = false) {
    const auto head = ReadEntryHead(*in);
    if (!head) return head.error();
    if (head->size > kLargestEntry || first != (head->name == kManifestEntry))
      return fmt::format("{} has an entry at a wrong location: {}", file.string(), head->name);
    std::string text;
    const auto read = in->Read(head->size, text);
    if (!read) return read.error();
    if (first) {
      const auto manifest = ReadManifest(text);
      if (!manifest) return manifest.error();
      if (manifest->schema != SchemaVersion()) return OtherSchema(file, *manifest);
      backup = {.version = manifest->version, .taken_at = manifest->taken_at, .schema = manifest->schema};
      backup.encrypted = in->encrypted();
    } else if (head->name.starts_with(kRowsPrefix)) {
      const auto table = head->name.substr(kRowsPrefix.size());
      if (!text.starts_with("INSERT INTO `" + table + "` ("))
        return fmt::format("{} has an entry that inserts no rows", file.string());
      if (table != before) ++backup.tables;
      before = table;
      const auto taken = take_rows(text);
      if (!taken) return taken.error();
    } else if (head->name.starts_with(kKeysPrefix)) {
      const auto taken = take_key(head->name.substr(kKeysPrefix.size()), text);
      if (!taken) return taken.error();
    } else if (head->name == "totals") {
      std::int64_t tables = 0;
      if (std::sscanf(text.c_str(), "%ld %ld", &tables, &backup.rows) != 2 || tables != backup.tables)
        return fmt::format("{} lacks tables", file.string());
    } else if (head->name.empty()) {
      return backup;
    } else {
      return fmt::format("{} has an unknown entry: {}", file.string(), head->name);
    }
  }
}

// Reads the file to its end into `checks`.
FileResult<DatabaseBackup> CheckBackup(const fs::path& file, std::string_view secret, BackupChecks& checks) {
  try {
    auto read = ReadBackup(
        file, secret,
        [&](const std::string& statement) {
          checks.Take(statement);
          return FileResult<Done>(Done{});
        },
        [](const std::string&, const std::string&) { return FileResult<Done>(Done{}); });
    if (read) checks.Finish();
    return read;
  } catch (const MysqlError& error) {
    return fmt::format("the data of {} contradicts itself: {}", file.string(), error.what());
  }
}

// Raises the next number of each table above the rows that `checks` has taken. Each statement commits.
void SkipDatabaseNumbers(Connection& connection, const BackupChecks& checks) {
  for (const auto& table : kNumberedTables) {
    connection.Command(fmt::format("ALTER TABLE {} AUTO_INCREMENT = {}", table.name,
                                   checks.HighestOf(table) + table.skipped));
  }
}

bool IsEmpty(Connection& connection) {
  auto row = connection.Query("SELECT (SELECT COUNT(*) FROM concerts) + (SELECT COUNT(*) FROM audit)");
  return row.Next() && row.Int(0) == 0;
}

FileResult<Done> RestoreKey(const fs::path& folder, const std::string& name, const std::string& text) {
  if (folder.empty())
    return std::string("the backup has signing keys in files: give --keys with a new folder");
  if (name.find('/') != std::string::npos || name.starts_with('.'))
    return std::string("the backup has an entry with a bad name");
  std::error_code error;
  fs::create_directories(folder, error);
  umask(077);
  std::ofstream out(folder / name, std::ios::binary | std::ios::trunc);
  out << text;
  out.flush();
  if (!out) return fmt::format("cannot write {}", (folder / name).string());
  return Done{};
}

void RecordDatabaseRestore(Connection& connection, const DatabaseBackup& backup, Time now) {
  const auto detail = JsonObjectText([&](JsonWriter& json) { json.Field("takenAt", backup.taken_at); });
  AppendAudit(connection, {now, "command line", "backup.restore", "database", detail});
}

}  // namespace

bool IsDatabaseBackup(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string begin(kDatabaseBackupTitle.size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in.good() && begin == kDatabaseBackupTitle;
}

FileResult<DatabaseBackup> WriteDatabaseBackup(const DatabaseBackupSource& source, const fs::path& file,
                                               std::string_view secret, Random& random, Time now) {
  DatabaseBackup backup{.version = source.version, .taken_at = now};
  const auto unfinished = file.string() + ".new";
  const auto write = [&]() -> FileResult<Done> {
    Connection connection(WithLongTimeouts(source.server));
    backup.schema = SchemaVersionOf(connection);
    if (backup.schema == 0) return std::string("the database is empty: there is nothing to back up");
    connection.Command("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    connection.Command("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    if (source.keys.empty() && !HasKeyRows(connection))
      return std::string("no signing keys in the database: give --keys DIR as the servers do");
    auto out = SealedWriter::Create(unfinished, kDatabaseBackupTitle, secret, random);
    if (!out) return out.error();
    auto written = WriteEntry(*out, kManifestEntry, ToJson({backup.version, backup.schema, backup.taken_at}));
    for (const auto& shape : ShapesOf(connection)) {
      const auto before = backup.rows;
      if (written) written = WriteTable(connection, shape, *out, backup.rows);
      if (backup.rows > before) ++backup.tables;
    }
    if (written && !source.keys.empty()) written = WriteKeys(source.keys, *out);
    if (written) written = WriteEntry(*out, "totals", TotalsOf(backup));
    if (written) written = WriteEntryHead(*out, "", 0);
    if (!written) return written;
    const auto size = out->Finish();
    if (!size) return size.error();
    backup.bytes = *size;
    backup.encrypted = !secret.empty();
    return Done{};
  };
  auto written = FileResult<Done>(Done{});
  try {
    written = write();
  } catch (const MysqlError& error) {
    written = fmt::format("cannot read the database: {}", error.what());
  }
  std::error_code error;
  if (written) fs::rename(unfinished, file, error);
  if (error) written = fmt::format("cannot write {}: {}", file.string(), error.message());
  if (written) return backup;
  fs::remove(unfinished, error);
  return written.error();
}

FileResult<DatabaseBackup> VerifyDatabaseBackup(const fs::path& file, std::string_view secret) {
  BackupChecks checks;
  return CheckBackup(file, secret, checks);
}

FileResult<DatabaseBackup> RestoreDatabaseBackup(const fs::path& file, const DatabaseBackupSource& target,
                                                 std::string_view secret, Time now) {
  BackupChecks checks;
  const auto verified = CheckBackup(file, secret, checks);
  if (!verified) return verified;
  std::error_code ignored;
  if (!target.keys.empty() && fs::exists(target.keys, ignored) && !fs::is_empty(target.keys, ignored))
    return fmt::format("{} is not empty: give a new folder of keys", target.keys.string());
  try {
    Connection connection(WithLongTimeouts(target.server));
    Migrate(connection);
    if (!IsEmpty(connection)) return std::string("the database is not empty: restore to a new one");
    // Before the rows: otherwise a crash after their COMMIT would leave numbers that are too low.
    SkipDatabaseNumbers(connection, checks);
    connection.Command("BEGIN");
    for (const auto& shape : ShapesOf(connection)) connection.Command("DELETE FROM `" + shape.name + "`");
    const auto restored = ReadBackup(
        file, secret,
        [&](const std::string& statement) {
          connection.Command(statement);
          return FileResult<Done>(Done{});
        },
        [&](const std::string& name, const std::string& text) {
          return RestoreKey(target.keys, name, text);
        });
    if (!restored) return restored;
    connection.Execute("UPDATE event_head SET last_id = last_id + 100000000");
    RecordDatabaseRestore(connection, *restored, now);
    connection.Command("COMMIT");
    if (const auto broken = FirstBrokenAudit(connection))
      return fmt::format("restored, but the audit log is broken at row {}", *broken);
    return restored;
  } catch (const MysqlError& error) {
    return fmt::format("cannot restore the database: {}", error.what());
  }
}

}  // namespace maejin::mysql
