#include "adapters/embedded/moved_data.h"

#include <fmt/format.h>

#include "adapters/embedded/database.h"
#include "base/crypto.h"

namespace maejin::embedded {
namespace {

std::string ColumnsOf(const MovedTable& table) {
  std::string names;
  for (const auto& column : table.columns) names += (names.empty() ? "" : ", ") + std::string(column.name);
  return names;
}

// SQLite stores every kind in the format of the move: instants in milliseconds, days and ids as text.
Cell CellOf(const Statement& row, int index, CellKind kind) {
  if (row.IsNull(index)) return {};
  if (kind == CellKind::kNumber || kind == CellKind::kInstant) return row.Int(index);
  if (kind == CellKind::kBytes) return EncodeBase64Url(row.Text(index));
  return std::string(row.Text(index));
}

void ReadRows(Connection& connection, const MovedTable& table,
              const std::function<void(const MovedRow&)>& take) {
  auto row = connection.Prepare(
      fmt::format("SELECT {} FROM {} ORDER BY {}", ColumnsOf(table), table.name, OrderOf(table)));
  MovedRow cells(table.columns.size());
  while (row.Step()) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = CellOf(row, static_cast<int>(i), table.columns[i].kind);
    take(cells);
  }
}

// `bytes` holds a decoded picture until the statement has run.
void Bind(Statement& statement, int index, const Cell& cell, CellKind kind, std::string& bytes) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    statement.Bind(index, *number);
  } else if (const auto* text = std::get_if<std::string>(&cell); text && kind == CellKind::kBytes) {
    const auto decoded = DecodeBase64Url(*text);
    if (!decoded) throw SqliteError(0, "a picture is not base64url");
    bytes = *decoded;
    statement.BindBlob(index, bytes);
  } else if (text) {
    statement.Bind(index, std::string_view(*text));
  } else {
    statement.BindNull(index);
  }
}

}  // namespace

EmbeddedDataSource::EmbeddedDataSource(const std::string& database)
    : connection_(database, Connection::Mode::kReadOnly) {
  connection_.Execute("BEGIN");
}

void EmbeddedDataSource::Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) {
  ReadRows(connection_, table, take);
}

EmbeddedDataTarget::EmbeddedDataTarget(const std::string& database) : connection_(OpenDatabase(database)) {
  connection_.Execute("BEGIN IMMEDIATE");
}

void EmbeddedDataTarget::Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) {
  ReadRows(connection_, table, take);
}

bool EmbeddedDataTarget::Empty() {
  for (const auto* table : {"concerts", "sold_out_concerts", "audit"}) {
    if (connection_.Prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", table)).Step()) return false;
  }
  return true;
}

void EmbeddedDataTarget::Write(const MovedTable& table, const std::vector<MovedRow>& rows) {
  std::string marks;
  for (std::size_t i = 0; i < table.columns.size(); ++i) marks += i == 0 ? "?" : ", ?";
  auto insert = connection_.Prepare(
      fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, ColumnsOf(table), marks));
  std::string bytes;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      Bind(insert, static_cast<int>(i) + 1, row[i], table.columns[i].kind, bytes);
    insert.Step();
    insert.Reset();
  }
}

}  // namespace maejin::embedded
