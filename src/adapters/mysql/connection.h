// An owning wrapper of MariaDB's C client: one connection with its prepared statements.
//
// Every session has the same settings, whatever the server's defaults are: READ COMMITTED, UTC, strict SQL
// mode, utf8mb4, snapshot isolation if the server has it, short lock waits. Affected rows are the rows that
// matched. An error reply throws MysqlError; the pool decides what it means. Used by one thread at a time.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/mysql/url.h"
#include "base/ids.h"
#include "base/time.h"

struct st_mysql;
struct st_mysql_stmt;

namespace maejin::mysql {

// A row changed during the transaction: retry it.
inline constexpr unsigned kChangedRow = 1020;
// The rows contradict each other. Nothing is changed, and the log names the contradiction.
inline constexpr unsigned kDamaged = 0;

class MysqlError : public std::runtime_error {
 public:
  MysqlError(unsigned code, const std::string& what) : std::runtime_error(what), code_(code) {}
  unsigned code() const { return code_; }
  // Deadlock, lock timeout, or a row that changed: the transaction may be retried.
  bool IsConflict() const;
  // The connection is lost or refused: the server is unreachable, stopping, or has no free connection.
  bool IsLost() const;
  // The server answers but refuses writes.
  bool IsReadOnly() const;
  // A row with this UNIQUE key exists.
  bool IsDuplicate() const;

 private:
  unsigned code_;
};

// One parameter of a statement. Text is not copied: it must live until the statement has run.
class Value {
 public:
  Value(std::nullopt_t) {}  // NOLINT
  template <std::integral T>
  Value(T number) : kind_(Kind::kInt), number_(static_cast<std::int64_t>(number)) {}  // NOLINT
  Value(std::string_view text) : kind_(Kind::kText), text_(text) {}                   // NOLINT
  Value(const std::string& text) : kind_(Kind::kText), text_(text) {}                 // NOLINT
  Value(const char* text) : kind_(Kind::kText), text_(text) {}                        // NOLINT
  Value(const Id128& id)                                                              // NOLINT
      : kind_(Kind::kBytes), text_(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()) {}
  Value(Time time) : kind_(Kind::kTime), number_(ToMillis(time)) {}                               // NOLINT
  Value(Date date) : kind_(Kind::kDate), number_(ToMillis(Time{std::chrono::sys_days{date}})) {}  // NOLINT
  // Binary data.
  static Value Bytes(std::string_view bytes) {
    Value value(bytes);
    value.kind_ = Kind::kBytes;
    return value;
  }
  template <class T>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value(std::nullopt)) {}  // NOLINT

 private:
  friend class Statement;
  enum class Kind { kNull, kInt, kText, kBytes, kTime, kDate };
  Kind kind_ = Kind::kNull;
  std::int64_t number_ = 0;
  std::string_view text_;
};

class Statement;

// The answer of a query, one row at a time: `while (rows.Next()) use(rows.Int(0))`. Columns from 0. Valid
// until the same statement runs again on the connection; other statements may run in between.
class Rows {
 public:
  explicit Rows(std::shared_ptr<Statement> statement) : statement_(std::move(statement)) {}
  Rows(Rows&& other) noexcept = default;
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  bool Next();
  bool IsNull(unsigned column) const;
  std::int64_t Int(unsigned column) const;
  std::string_view Text(unsigned column) const;
  Time At(unsigned column) const;
  Date Day(unsigned column) const;
  Id128 Id(unsigned column) const;
  std::optional<std::int64_t> OptionalInt(unsigned column) const;
  std::optional<Time> OptionalAt(unsigned column) const;

 private:
  std::shared_ptr<Statement> statement_;  // shared: the connection may evict the statement meanwhile
};

class Connection {
 public:
  // Connects and sets the session up; counts every statement and command sent in `round_trips`, which
  // outlives the connection. Throws MysqlError.
  explicit Connection(const ServerOptions& options, std::atomic<std::uint64_t>* round_trips = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs a statement that changes rows; returns how many matched. Statements are prepared once and kept by
  // their text.
  template <class... Args>
  std::int64_t Execute(std::string_view sql, const Args&... args) {
    const Value values[] = {Value(std::nullopt), Value(args)...};
    return ExecuteValues(sql, values + 1, sizeof...(args));
  }
  std::int64_t ExecuteValues(std::string_view sql, const std::vector<Value>& values) {
    return ExecuteValues(sql, values.data(), values.size());
  }
  template <class... Args>
  Rows Query(std::string_view sql, const Args&... args) {
    const Value values[] = {Value(std::nullopt), Value(args)...};
    return QueryValues(sql, values + 1, sizeof...(args));
  }
  Rows QueryValues(std::string_view sql, const std::vector<Value>& values) {
    return QueryValues(sql, values.data(), values.size());
  }
  // Runs a statement as text: BEGIN, COMMIT, definitions of tables.
  void Command(std::string_view sql);

  std::int64_t LastInsertId() const;
  // "10.11.19-MariaDB…"
  std::string ServerVersion() const;
  bool IsMariaDb() const { return ServerVersion().find("MariaDB") != std::string::npos; }
  // The cipher of an encrypted connection, or empty.
  std::string Cipher() const;

  // The maximum of prepared statements per connection; one more evicts the least recently used. The server
  // allows 16,382 for all connections (max_prepared_stmt_count): enough for eight nodes of 16 connections.
  static constexpr std::size_t kMaxStatements = 120;

 private:
  friend class Statement;
  struct Close {
    void operator()(st_mysql* handle) const;
  };

  std::int64_t ExecuteValues(std::string_view sql, const Value* values, std::size_t count);
  Rows QueryValues(std::string_view sql, const Value* values, std::size_t count);
  // The cache may evict the statement later; the result keeps it alive.
  std::shared_ptr<Statement> Prepared(std::string_view sql);
  void SetUpSession();
  void CountRoundTrip();
  [[noreturn]] void Fail(std::string_view doing);

  std::unique_ptr<st_mysql, Close> handle_;
  struct CachedStatement {
    std::shared_ptr<Statement> statement;
    std::uint64_t used = 0;  // statement_uses_ at the last use
  };
  std::unordered_map<std::string_view, CachedStatement> statements_;  // keyed by the statement's own text
  std::uint64_t statement_uses_ = 0;
  std::atomic<std::uint64_t>* round_trips_;
};

}  // namespace maejin::mysql
