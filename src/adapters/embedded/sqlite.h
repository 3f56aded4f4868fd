// Connections and prepared statements of SQLite's C API, with destructors. Errors that cannot be handled at
// run time (a broken statement, a damaged file) throw SqliteError.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace maejin::embedded {

class SqliteError : public std::runtime_error {
 public:
  SqliteError(int extended_code, const std::string& what) : std::runtime_error(what), code_(extended_code) {}
  int code() const { return code_; }

 private:
  int code_;
};

// One row at a time: `while (s.Step()) use(s.Int(0))`. Columns and parameters as in SQLite: columns from 0,
// parameters from 1.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);

  Statement& Bind(int index, std::int64_t value);
  // The text is not copied: it must live until Step() has run.
  Statement& Bind(int index, std::string_view text);
  Statement& BindBlob(int index, std::string_view bytes);
  Statement& BindNull(int index);

  // True while there is a row. Throws on anything but a row or the end.
  bool Step();
  // Runs the statement to its end and resets it for new parameters. Returns SQLite's extended code (SQLITE_OK
  // on success) instead of throwing, so that the committer can handle a full disk.
  int Run();
  void Reset();

  std::int64_t Int(int column) const;
  // Valid until the next Step().
  std::string_view Text(int column) const;
  bool IsNull(int column) const;
  std::optional<std::int64_t> OptionalInt(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// One connection; used by one thread at a time.
class Connection {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  explicit Connection(const std::string& path, Mode mode = Mode::kReadWrite);

  void Execute(const char* sql);
  // As Execute, but returns SQLite's extended code instead of throwing.
  int TryExecute(const char* sql);
  Statement Prepare(std::string_view sql) { return {db_.get(), sql}; }
  std::string LastError() const;
  sqlite3* raw() { return db_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::unique_ptr<sqlite3, Close> db_;
};

}  // namespace maejin::embedded
