#include "adapters/mysql/backup_checks.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/connection.h"
#include "domain/audit_chain.h"

namespace maejin::mysql {
namespace {

template <class... Parts>
[[noreturn]] void Contradiction(fmt::format_string<Parts...> format, Parts&&... parts) {
  throw MysqlError(kDamaged, fmt::format(format, std::forward<Parts>(parts)...));
}

// The named columns of a statement's rows.
class NamedCells {
 public:
  NamedCells(const InsertStatement& statement, std::initializer_list<std::string_view> names) {
    for (const auto name : names) {
      const auto found = std::find(statement.columns.begin(), statement.columns.end(), name);
      if (found == statement.columns.end())
        Contradiction("the table {} has no column {}", statement.table, name);
      places_.push_back(static_cast<std::size_t>(found - statement.columns.begin()));
    }
  }

  // By the position of the column's name above.
  bool IsNull(const InsertedRow& row, std::size_t name) const { return !row[places_[name]]; }
  std::string_view Text(const InsertedRow& row, std::size_t name) const {
    const auto& cell = row[places_[name]];
    if (!cell) Contradiction("a value is missing");
    return *cell;
  }
  std::int64_t Int(const InsertedRow& row, std::size_t name) const {
    const auto text = Text(row, name);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) Contradiction("{} is no number", text);
    return number;
  }
  // "2026-11-18 20:00:00.123", UTC.
  Time At(const InsertedRow& row, std::size_t name) const {
    auto text = std::string(Text(row, name));
    if (const auto blank = text.find(' '); blank != std::string::npos) text[blank] = 'T';
    const auto time = ParseTime(text + 'Z');
    if (!time) Contradiction("{} is no time", text);
    return *time;
  }

 private:
  std::vector<std::size_t> places_;
};

}  // namespace

void BackupChecks::Take(const std::string& statement) {
  using Taker = void (BackupChecks::*)(const InsertStatement&);
  static constexpr std::pair<std::string_view, Taker> kTakers[] = {
      {"audit", &BackupChecks::TakeAudit},       {"audit_head", &BackupChecks::TakeAuditHead},
      {"payments", &BackupChecks::TakePayments}, {"reservations", &BackupChecks::TakeReservations},
      {"seats", &BackupChecks::TakeSeats},
  };
  const auto into = [&](std::string_view table) {
    return statement.starts_with(fmt::format("INSERT INTO `{}` ", table));
  };
  const auto taker = std::ranges::find_if(kTakers, into, &std::pair<std::string_view, Taker>::first);
  const auto numbered = std::ranges::find_if(kNumberedTables, into, &NumberedTable::name);
  if (taker == std::end(kTakers) && numbered == std::end(kNumberedTables)) return;
  const auto read = ParseInsert(statement);
  if (!read) Contradiction("a statement of the backup is no INSERT of values");
  if (taker != std::end(kTakers)) (this->*taker->second)(*read);
  if (numbered != std::end(kNumberedTables)) TakeNumbers(*numbered, *read);
}

void BackupChecks::TakeNumbers(const NumberedTable& table, const InsertStatement& statement) {
  const NamedCells cells(statement, {table.column});
  auto& highest = highest_[table.name];
  for (const auto& row : statement.rows) highest = std::max(highest, cells.Int(row, 0));
}

std::int64_t BackupChecks::HighestOf(const NumberedTable& table) const {
  const auto found = highest_.find(table.name);
  return found == highest_.end() ? 0 : found->second;
}

void BackupChecks::TakeAudit(const InsertStatement& statement) {
  const NamedCells cells(statement, {"id", "at", "actor", "action", "subject", "detail", "hash"});
  for (const auto& row : statement.rows) {
    const auto expected = last_audit_ + 1;
    const AuditEntry entry{cells.At(row, 1), cells.Text(row, 2), cells.Text(row, 3), cells.Text(row, 4),
                           cells.Text(row, 5)};
    if (cells.Int(row, 0) != expected || AuditHash(last_hash_, expected, entry) != cells.Text(row, 6))
      Contradiction("the audit log is broken at row {}", expected);
    last_audit_ = expected;
    last_hash_ = cells.Text(row, 6);
  }
}

void BackupChecks::TakeAuditHead(const InsertStatement& statement) {
  const NamedCells cells(statement, {"last_id", "last_hash"});
  for (const auto& row : statement.rows) {
    head_id_ = cells.Int(row, 0);
    head_hash_ = cells.Text(row, 1);
  }
}

void BackupChecks::TakePayments(const InsertStatement& statement) {
  const NamedCells cells(statement, {"status", "reservation_number"});
  for (const auto& row : statement.rows) {
    if (cells.Text(row, 0) != "CAPTURED") continue;
    if (const auto number = cells.Int(row, 1); !captured_.insert(number).second)
      Contradiction("reservation {} is paid twice", number);
  }
}

void BackupChecks::TakeReservations(const InsertStatement& statement) {
  const NamedCells cells(statement, {"number", "status", "schedule_id", "seats"});
  for (const auto& row : statement.rows) {
    const auto status = ReservationStatusOf(cells.Text(row, 1));
    if (!status) Contradiction("reservation {} has an unknown status", cells.Text(row, 0));
    Reservation reservation;
    reservation.status = *status;
    if (!reservation.Living()) continue;
    living_[cells.Int(row, 0)] = {cells.Int(row, 2), !reservation.Unpaid(), ReadNumbers(cells.Text(row, 3))};
  }
}

void BackupChecks::TakeSeats(const InsertStatement& statement) {
  const NamedCells cells(statement, {"schedule_id", "number", "state", "reservation_number"});
  for (const auto& row : statement.rows) {
    const auto state = cells.Text(row, 2);
    const bool taken = state == "HELD" || state == "ASSIGNED";
    if (taken == cells.IsNull(row, 3))
      Contradiction("seat {} of date {} is {}", cells.Int(row, 1), cells.Int(row, 0), state);
    if (taken) taken_.push_back({cells.Int(row, 0), cells.Int(row, 1), cells.Int(row, 3), state != "HELD"});
  }
}

void BackupChecks::Finish() const {
  if (head_id_ != last_audit_ || head_hash_ != last_hash_)
    Contradiction("the audit log is broken at row {}", last_audit_ + 1);
  CheckPayments();
  CheckSeats();
}

void BackupChecks::CheckPayments() const {
  for (const auto number : captured_) {
    const auto found = living_.find(number);
    if (found == living_.end() || !found->second.paid)
      Contradiction("a payment is captured, but its reservation {} is not confirmed", number);
  }
  for (const auto& [number, reservation] : living_) {
    if (reservation.paid && !captured_.contains(number))
      Contradiction("reservation {} is confirmed without a captured payment", number);
  }
}

void BackupChecks::CheckSeats() const {
  std::unordered_map<std::int64_t, std::size_t> seats_of;
  for (const auto& seat : taken_) {
    const auto found = living_.find(seat.reservation);
    const bool agrees = found != living_.end() && found->second.schedule == seat.schedule &&
                        found->second.paid == seat.paid &&
                        std::ranges::count(found->second.seats, seat.number) == 1;
    if (!agrees) {
      Contradiction("seat {} of date {} and reservation {} disagree", seat.number, seat.schedule,
                    seat.reservation);
    }
    ++seats_of[seat.reservation];
  }
  for (const auto& [number, reservation] : living_) {
    if (seats_of[number] != reservation.seats.size())
      Contradiction("another reservation, or none, has a seat of reservation {}", number);
  }
}

}  // namespace maejin::mysql
