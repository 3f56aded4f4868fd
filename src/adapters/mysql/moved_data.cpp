#include "adapters/mysql/moved_data.h"

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_seats.h"
#include "adapters/mysql/migrations.h"
#include "base/crypto.h"

namespace maejin::mysql {
namespace {

// ROWS is a reserved word of newer servers.
std::string_view NameHere(std::string_view column) { return column == "rows" ? "row_count" : column; }

std::string ColumnsOf(const MovedTable& table) {
  std::string names;
  for (const auto& column : table.columns)
    names += (names.empty() ? "" : ", ") + std::string(NameHere(column.name));
  return names;
}

// MariaDB has no table special_seats: blocked and wheelchair are columns of the seat rows.
std::string SelectOf(const MovedTable& table) {
  if (table.name == "special_seats") {
    return "SELECT schedule_id, number, state = 'BLOCKED', wheelchair FROM seats WHERE state = 'BLOCKED' OR "
           "wheelchair = 1 ORDER BY 1, 2";
  }
  const auto* which = table.name == "ranking_settings" ? " WHERE name NOT IN ('ids', 'time_mark')" : "";
  return fmt::format("SELECT {} FROM {}{} ORDER BY {}", ColumnsOf(table), table.name, which, OrderOf(table));
}

Cell CellOf(const Rows& row, unsigned index, CellKind kind) {
  if (row.IsNull(index)) return {};
  switch (kind) {
    case CellKind::kNumber:
      return row.Int(index);
    case CellKind::kInstant:
      return ToMillis(row.At(index));
    case CellKind::kDay:
      return FormatDate(row.Day(index));
    case CellKind::kId:
      return row.Id(index).ToString();
    case CellKind::kBytes:
      return EncodeBase64Url(row.Text(index));
    case CellKind::kText:
      break;
  }
  return std::string(row.Text(index));
}

void ReadRows(Connection& connection, const MovedTable& table,
              const std::function<void(const MovedRow&)>& take) {
  auto rows = connection.Query(SelectOf(table));
  MovedRow cells(table.columns.size());
  while (rows.Next()) {
    for (unsigned i = 0; i < cells.size(); ++i) cells[i] = CellOf(rows, i, table.columns[i].kind);
    take(cells);
  }
}

// A cell as a parameter; `id` and `bytes` live until the statement has run.
Value ValueOf(const Cell& cell, CellKind kind, Id128& id, std::string& bytes) {
  if (std::holds_alternative<std::monostate>(cell)) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(&cell))
    return kind == CellKind::kInstant ? Value(TimeFromMillis(*number)) : Value(*number);
  const auto& text = std::get<std::string>(cell);
  if (kind == CellKind::kDay) {
    const auto day = ParseDate(text);
    if (!day) throw MysqlError(kDamaged, "no date: " + text);
    return *day;
  }
  if (kind == CellKind::kBytes) {
    auto decoded = DecodeBase64Url(text);
    if (!decoded) throw MysqlError(kDamaged, "a picture is not base64url");
    bytes = std::move(*decoded);
    return Value::Bytes(bytes);
  }
  if (kind != CellKind::kId) return text;
  const auto read = Id128::Parse(text);
  if (!read) throw MysqlError(kDamaged, "no id: " + text);
  id = *read;
  return id;
}

// Columns that the schema requires and that are not moved. Finish() computes the remaining columns.
struct More {
  std::string_view table;
  std::string_view columns;
  std::string_view values;
};
constexpr More kMore[] = {
    {"concerts", ", token", ", UNHEX(REPLACE(UUID(), '-', ''))"},
    {"schedules", ", token, for_sale, open_shards", ", UNHEX(REPLACE(UUID(), '-', '')), 0, 0"},
    {"reservations", ", seat_count", ", 0"},
};

std::string InsertOf(const MovedTable& table) {
  More more{};
  for (const auto& each : kMore) {
    if (each.table == table.name) more = each;
  }
  std::string marks;
  for (std::size_t i = 0; i < table.columns.size(); ++i) marks += i == 0 ? "?" : ", ?";
  return fmt::format("INSERT INTO {} ({}{}) VALUES ({}{})", table.name, ColumnsOf(table), more.columns, marks,
                     more.values);
}

// A temporary table of the import: the schema has no special_seats.
constexpr char kSpecialSeats[] =
    "CREATE TEMPORARY TABLE special_seats (schedule_id BIGINT NOT NULL, number INT NOT NULL, blocked TINYINT "
    "NOT NULL, "
    "wheelchair TINYINT NOT NULL, PRIMARY KEY (schedule_id, number)) ENGINE = InnoDB";

void MakeSeats(Connection& connection, ScheduleId schedule) {
  SchedulePlan plan;
  plan.sections = ReadSections(connection, schedule);
  {
    auto rows = connection.Query(
        "SELECT number, blocked, wheelchair FROM special_seats WHERE schedule_id = ? ORDER BY number",
        schedule);
    while (rows.Next()) {
      const auto seat = static_cast<SeatNumber>(rows.Int(0));
      if (rows.Int(1) != 0) plan.blocked.push_back(seat);
      if (rows.Int(2) != 0) plan.wheelchair.push_back(seat);
    }
  }
  AddSeatRows(connection, schedule, plan);
}

// Sets the owner of every seat from its reservation.
void TakeSeats(Connection& connection) {
  std::vector<Reservation> living;
  std::int64_t after = 0;
  do {
    living = ReadReservations(connection, {.after = after, .limit = 1000});
    for (const auto& each : living) {
      connection.Execute("UPDATE reservations SET seat_count = ?, due_at = ? WHERE number = ?",
                         each.seats.size(), each.Unpaid() ? std::optional(each.expires_at) : std::nullopt,
                         each.number);
      if (!each.Living()) continue;
      const auto state = each.Unpaid() ? SeatState::kHeld : SeatState::kAssigned;
      const SeatMove move{each.schedule, each.seats, SeatState::kAvailable, state, {}, each.number};
      if (MoveSeats(connection, move) != static_cast<std::int64_t>(each.seats.size()))
        throw MysqlError(kDamaged, "the seats of reservation " + each.id.ToString() + " are another's");
    }
    if (!living.empty()) after = living.back().number;
  } while (!living.empty());
}

// The order matters: each statement uses the results of the previous ones.
constexpr const char* kDerived[] = {
    "INSERT INTO seat_counts (schedule_id, shard, concert_id, first_number, last_number, available, held, "
    "assigned, blocked, "
    "last_paid_at, closed) SELECT s.schedule_id, FLOOR((s.number - 1) / 512), d.concert_id, MIN(s.number), "
    "MAX(s.number), "
    "SUM(s.state = 'AVAILABLE'), SUM(s.state = 'HELD'), SUM(s.state = 'ASSIGNED'), SUM(s.state = 'BLOCKED'), "
    "MAX(r.paid_at), "
    "MAX(d.status <> 'ACTIVE' OR c.status <> 'ACTIVE') FROM seats s JOIN schedules d ON d.id = s.schedule_id "
    "JOIN concerts c ON c.id = d.concert_id LEFT JOIN reservations r ON r.number = s.reservation_number "
    "GROUP BY s.schedule_id, FLOOR((s.number - 1) / 512), d.concert_id",
    "UPDATE schedules d SET for_sale = (SELECT COALESCE(SUM(available + held + assigned), 0) FROM "
    "seat_counts c WHERE "
    "c.schedule_id = d.id), open_shards = (SELECT COUNT(*) FROM seat_counts c WHERE c.schedule_id = d.id AND "
    "c.available + c.held > 0), sold_out_at = (SELECT sold_out_at FROM sold_out_schedules o WHERE "
    "o.schedule_id = d.id)",
    "UPDATE concerts c SET open_schedules = (SELECT COUNT(*) FROM schedules d WHERE d.concert_id = c.id AND "
    "d.status = 'ACTIVE' "
    "AND d.open_shards > 0), sold_out_at = (SELECT sold_out_at FROM sold_out_concerts o WHERE o.concert_id = "
    "c.id)",
    "INSERT INTO cancellations (schedule_id, concert_id, done_number) SELECT id, concert_id, 0 FROM "
    "schedules WHERE status = "
    "'CANCELLED'",
    "INSERT INTO outbox_leases (concert_id) SELECT id FROM concerts",
    "UPDATE payments SET captured_for = reservation_number WHERE status = 'CAPTURED'",
    "UPDATE payments SET unsettled_since = created_at WHERE status IN ('PENDING', 'REFUND_DUE') AND provider "
    "<> 'instant'",
    "UPDATE audit_head SET last_id = (SELECT COALESCE(MAX(id), 0) FROM audit), last_hash = COALESCE((SELECT "
    "hash FROM audit "
    "ORDER BY id DESC LIMIT 1), '')",
};

}  // namespace

MysqlDataSource::MysqlDataSource(const ServerOptions& server) : connection_(WithLongTimeouts(server)) {
  connection_.Command("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  connection_.Command("START TRANSACTION WITH CONSISTENT SNAPSHOT");
}

void MysqlDataSource::Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) {
  ReadRows(connection_, table, take);
}

MysqlDataTarget::MysqlDataTarget(const ServerOptions& server) : connection_(WithLongTimeouts(server)) {
  Migrate(connection_);
  connection_.Command(kSpecialSeats);
  if (connection_.IsMariaDb()) connection_.Command("SET SESSION idle_transaction_timeout = 0");
  connection_.Command("START TRANSACTION");
}

void MysqlDataTarget::Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) {
  ReadRows(connection_, table, take);
}

bool MysqlDataTarget::Empty() {
  for (const auto* table : {"concerts", "sold_out_concerts", "audit"}) {
    if (connection_.Query(fmt::format("SELECT 1 FROM {} LIMIT 1", table)).Next()) return false;
  }
  return true;
}

void MysqlDataTarget::Write(const MovedTable& table, const std::vector<MovedRow>& rows) {
  const auto insert = InsertOf(table);
  for (const auto& row : rows) {
    std::vector<Id128> ids(row.size());
    std::string bytes;
    std::vector<Value> values;
    for (std::size_t i = 0; i < row.size(); ++i)
      values.push_back(ValueOf(row[i], table.columns[i].kind, ids[i], bytes));
    connection_.ExecuteValues(insert, values);
  }
}

void MysqlDataTarget::Finish() {
  std::vector<ScheduleId> schedules;
  {
    auto rows = connection_.Query("SELECT id FROM schedules ORDER BY id");
    while (rows.Next()) schedules.push_back(rows.Int(0));
  }
  for (const auto schedule : schedules) MakeSeats(connection_, schedule);
  TakeSeats(connection_);
  for (const auto* statement : kDerived) connection_.Command(statement);
}

}  // namespace maejin::mysql
