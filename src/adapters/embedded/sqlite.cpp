#include "adapters/embedded/sqlite.h"

#include <sqlite3.h>

namespace maejin::embedded {
namespace {

[[noreturn]] void Throw(sqlite3* db, const std::string& doing) {
  throw SqliteError(sqlite3_extended_errcode(db), doing + ": " + sqlite3_errmsg(db));
}

// Disables SQLite's memory statistics: maejin does not use them, and SQLite locks a mutex for each allocation
// to keep them. Call before the first connection; later calls have no effect.
void CountNoMemory() { [[maybe_unused]] static const int kDone = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* db, std::string_view sql) : db_(db) {
  sqlite3_stmt* raw = nullptr;
  const auto length = static_cast<int>(sql.size());
  if (sqlite3_prepare_v3(db, sql.data(), length, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK) {
    Throw(db, "preparing \"" + std::string(sql) + "\"");
  }
  statement_.reset(raw);
}

Statement& Statement::Bind(int index, std::int64_t value) {
  if (sqlite3_bind_int64(statement_.get(), index, value) != SQLITE_OK) Throw(db_, "binding a number");
  return *this;
}

Statement& Statement::Bind(int index, std::string_view text) {
  if (sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8) !=
      SQLITE_OK) {
    Throw(db_, "binding a text");
  }
  return *this;
}

Statement& Statement::BindBlob(int index, std::string_view bytes) {
  if (sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC) != SQLITE_OK) {
    Throw(db_, "binding bytes");
  }
  return *this;
}

Statement& Statement::BindNull(int index) {
  if (sqlite3_bind_null(statement_.get(), index) != SQLITE_OK) Throw(db_, "binding null");
  return *this;
}

bool Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) Throw(db_, "running a statement");
  return false;
}

int Statement::Run() {
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW) code = sqlite3_step(statement_.get());
  const int extended = code == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(db_);
  sqlite3_reset(statement_.get());
  return extended;
}

void Statement::Reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::Text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::optional<std::int64_t> Statement::OptionalInt(int column) const {
  if (IsNull(column)) return {};
  return Int(column);
}

void Connection::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Connection::Connection(const std::string& path, Mode mode) {
  CountNoMemory();
  sqlite3* raw = nullptr;
  const int flags =
      (mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
      SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  db_.reset(raw);
  if (code != SQLITE_OK) Throw(raw, "opening " + path);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
}

void Connection::Execute(const char* sql) {
  if (TryExecute(sql) != SQLITE_OK) Throw(db_.get(), std::string("running \"") + sql + "\"");
}

int Connection::TryExecute(const char* sql) {
  return sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK
             ? SQLITE_OK
             : sqlite3_extended_errcode(db_.get());
}

std::string Connection::LastError() const { return sqlite3_errmsg(db_.get()); }

}  // namespace maejin::embedded
