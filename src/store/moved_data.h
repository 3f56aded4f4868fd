// Copies a booking store's data to another store, row by row, in one format for all stores. Tables are copied
// in the order of their references: a row comes after the rows that it refers to.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace maejin {

enum class CellKind : std::uint8_t {
  kNumber,
  kText,
  kInstant,  // as milliseconds since 1970
  kDay,      // as YYYY-MM-DD
  kId,       // 128 bits, as Id128::ToString()
  kBytes,    // as base64url
};

// If a file of an earlier version lacks the column, the file is refused or the column has this value.
enum class WhenMissing : std::uint8_t { kRefuse, kNull, kZero, kOne };

struct MovedColumn {
  std::string_view name;
  CellKind kind = CellKind::kNumber;
  WhenMissing missing = WhenMissing::kRefuse;
};

struct MovedTable {
  std::string_view name;
  std::vector<MovedColumn> columns;
};

// The columns of the table by which its rows are ordered, as SQL.
inline const char* OrderOf(const MovedTable& table) { return table.columns.size() > 1 ? "1, 2" : "1"; }

// Waiting rooms and idempotency keys are not copied: they are short-lived.
std::span<const MovedTable> MovedTables();

// Absent, a number, or a text.
using Cell = std::variant<std::monostate, std::int64_t, std::string>;
using MovedRow = std::vector<Cell>;

// Reads a consistent snapshot. Not thread-safe. Throws std::runtime_error if the store cannot be read.
class DataSource {
 public:
  virtual ~DataSource() = default;
  // Every row of a table, ascending by its key.
  virtual void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) = 0;
};

// Writes everything or nothing. Not thread-safe. Throws std::runtime_error if the store cannot be written.
class DataTarget : public DataSource {
 public:
  // True: nothing was ever sold or imported here.
  virtual bool Empty() = 0;
  virtual void Write(const MovedTable& table, const std::vector<MovedRow>& rows) = 0;
  // Computes derived data; afterwards Read() returns the written rows. Commit() makes them durable.
  virtual void Finish() = 0;
  virtual void Commit() = 0;
};

}  // namespace maejin
