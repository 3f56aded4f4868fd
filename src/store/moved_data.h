// Everything a booking store remembers, row by row, in one form for all stores: how data moves from one to another. The order
// of the tables is the order of moving: a row comes after those it names.
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
  kInstant,  // moved as milliseconds since 1970
  kDay,      // moved as YYYY-MM-DD
  kId,       // 128 bits; moved as Id128::ToString() writes them
};

struct MovedColumn {
  std::string_view name;
  CellKind kind = CellKind::kNumber;
};

struct MovedTable {
  std::string_view name;
  std::vector<MovedColumn> columns;
};

// Waiting rooms and idempotency keys stay behind: they are of the moment.
std::span<const MovedTable> MovedTables();

// Absent, a number, or a text.
using Cell = std::variant<std::monostate, std::int64_t, std::string>;
using MovedRow = std::vector<Cell>;

// Reads of one moment. Throws std::runtime_error where the store cannot be read.
class DataSource {
 public:
  virtual ~DataSource() = default;
  // Every row of a table, ascending by its key.
  virtual void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) = 0;
};

// Writes all or nothing. Throws std::runtime_error where the store cannot be written.
class DataTarget : public DataSource {
 public:
  // Nothing was ever sold here, nor imported.
  virtual bool Empty() = 0;
  virtual void Write(const MovedTable& table, const std::vector<MovedRow>& rows) = 0;
  // Makes what is derived from the rows. What Read() then gives is what was written; Commit() makes it stay.
  virtual void Finish() = 0;
  virtual void Commit() = 0;
};

}  // namespace maejin
