#include "adapters/mysql/booking_rows.h"

#include <charconv>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "adapters/mysql/insert_all.h"

namespace maejin::mysql {
namespace {

constexpr char kReservationColumns[] =
    "SELECT number, id, concert_id, schedule_id, user_id, seats, amount, status, held_at, expires_at, "
    "paid_at, ended_at, "
    "hold_ver, extended, schedule_sold_out, concert_sold_out, idempotency_key, "
    "IF(status = 'REFUNDED', EXISTS (SELECT 1 FROM payments p WHERE p.reservation_number = "
    "reservations.number AND "
    "p.status = 'REFUND_DUE'), 0) AS refund_due, end_reason FROM reservations ";
constexpr char kPaymentColumns[] =
    "SELECT p.number, p.id, r.id, p.reservation_number, p.amount, p.status, p.provider, p.method, "
    "p.created_at, "
    "p.settled_at, p.hold_ver FROM payments p JOIN reservations r ON r.number = p.reservation_number ";

Reservation ReservationOf(const Rows& row) {
  Reservation reservation;
  reservation.number = row.Int(0);
  reservation.id = row.Id(1);
  reservation.concert = row.Int(2);
  reservation.schedule = row.Int(3);
  reservation.user = row.Text(4);
  reservation.seats = ReadNumbers(row.Text(5));
  reservation.amount = row.Int(6);
  reservation.status = ReservationStatusOf(row.Text(7)).value_or(ReservationStatus::kExpired);
  reservation.held_at = row.At(8);
  reservation.expires_at = row.At(9);
  reservation.paid_at = row.OptionalAt(10);
  reservation.ended_at = row.OptionalAt(11);
  reservation.hold_ver = static_cast<std::int32_t>(row.Int(12));
  reservation.extended = row.Int(13) != 0;
  reservation.schedule_sold_out = row.Int(14) != 0;
  reservation.concert_sold_out = row.Int(15) != 0;
  reservation.idempotency_key = row.Text(16);
  reservation.refund_due = row.Int(17) != 0;
  reservation.end_reason = EndReasonOf(row.Text(18));
  return reservation;
}

std::optional<Reservation> OnlyReservation(Rows rows) {
  if (!rows.Next()) return std::nullopt;
  return ReservationOf(rows);
}

Payment PaymentOf(const Rows& row) {
  Payment payment;
  payment.number = row.Int(0);
  payment.id = row.Id(1);
  payment.reservation = row.Id(2);
  payment.reservation_number = row.Int(3);
  payment.amount = row.Int(4);
  payment.status = PaymentStatusOf(row.Text(5)).value_or(PaymentStatus::kFailed);
  payment.provider = row.Text(6);
  payment.method = row.Text(7);
  payment.created_at = row.At(8);
  payment.settled_at = row.OptionalAt(9);
  payment.hold_ver = static_cast<std::int32_t>(row.Int(10));
  return payment;
}

std::optional<Time> UnsettledSince(const Payment& payment) {
  if (!IsUnsettled(payment)) return std::nullopt;
  return payment.created_at;
}

std::optional<std::int64_t> CapturedFor(const Payment& payment) {
  if (payment.status != PaymentStatus::kCaptured) return std::nullopt;
  return payment.reservation_number;
}

std::optional<Time> DueAt(const Reservation& reservation) {
  if (!reservation.Unpaid()) return std::nullopt;
  return reservation.expires_at;
}

std::optional<std::string_view> OrNull(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace

std::string NumbersText(const std::vector<std::int32_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::vector<std::int32_t> ReadNumbers(std::string_view text) {
  std::vector<std::int32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int32_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec == std::errc{}) numbers.push_back(number);
    at = read.ptr == at ? at + 1 : read.ptr;
  }
  return numbers;
}

std::string InList(std::size_t count) {
  std::string marks = "(?";
  for (std::size_t i = 1; i < count; ++i) marks += ", ?";
  return marks + ")";
}

std::optional<Reservation> ReadReservation(Connection& connection, const ReservationId& id, Lock lock) {
  static const auto read = std::string(kReservationColumns) + "WHERE id = ?";
  static const auto locked = read + " FOR UPDATE";
  return OnlyReservation(connection.Query(lock == Lock::kNone ? read : locked, id));
}

std::optional<Reservation> ReadReservation(Connection& connection, std::int64_t number, Lock lock) {
  static const auto read = std::string(kReservationColumns) + "WHERE number = ?";
  static const auto locked = read + " FOR UPDATE";
  return OnlyReservation(connection.Query(lock == Lock::kNone ? read : locked, number));
}

std::optional<Reservation> ReadReservationByKey(Connection& connection, ConcertId concert, const UserId& user,
                                                const std::string& key) {
  static const auto sql =
      std::string(kReservationColumns) + "WHERE concert_id = ? AND user_id = ? AND idempotency_key = ?";
  return OnlyReservation(connection.Query(sql, concert, user, key));
}

std::vector<Reservation> ReadReservations(Connection& connection, const ReservationFilter& filter) {
  auto sql = std::string(kReservationColumns) + "WHERE number ";
  const auto first = filter.newest_first ? INT64_MAX : std::int64_t{0};
  sql += filter.newest_first ? "< ?" : "> ?";
  std::vector<Value> values{filter.after == 0 ? first : filter.after};
  const auto also = [&](std::string_view column, const Value& value) {
    sql += fmt::format(" AND {} = ?", column);
    values.push_back(value);
  };
  if (filter.number) also("number", *filter.number);
  if (filter.concert) also("concert_id", *filter.concert);
  if (filter.schedule) also("schedule_id", *filter.schedule);
  if (filter.user) also("user_id", *filter.user);
  const auto seat = std::to_string(filter.seat.value_or(0));
  if (filter.seat) {
    sql += " AND JSON_CONTAINS(seats, ?)";
    values.emplace_back(seat);
  }
  // While its refund is due, a reservation is shown as CANCELLED, not as REFUNDED. refund_due is an alias of
  // the SELECT, so the condition needs HAVING.
  if (filter.status == ReservationStatus::kRefunded || filter.status == ReservationStatus::kCancelled) {
    const bool refunded = filter.status == ReservationStatus::kRefunded;
    sql += refunded
               ? " AND status = 'REFUNDED' HAVING refund_due = 0"
               : " AND status IN ('CANCELLED', 'REFUNDED') HAVING status = 'CANCELLED' OR refund_due = 1";
  } else if (filter.status) {
    also("status", Name(*filter.status));
  }
  sql += filter.newest_first ? " ORDER BY number DESC LIMIT ?" : " ORDER BY number LIMIT ?";
  values.emplace_back(filter.limit);
  std::vector<Reservation> found;
  auto rows = connection.QueryValues(sql, values);
  while (rows.Next()) found.push_back(ReservationOf(rows));
  return found;
}

std::vector<Reservation> LockDue(Connection& connection, Time now, int limit) {
  static const auto sql =
      std::string(kReservationColumns) + "WHERE due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED";
  std::vector<Reservation> due;
  auto rows = connection.Query(sql, now, limit);
  while (rows.Next()) due.push_back(ReservationOf(rows));
  return due;
}

std::vector<Reservation> LockReservations(Connection& connection, const std::vector<ReservationId>& ids) {
  auto sql = std::string(kReservationColumns) + "FORCE INDEX (reservations_by_id) WHERE id IN ";
  std::vector<Value> values;
  AppendInList(sql, values, ids);
  std::vector<Reservation> found;
  auto rows = connection.QueryValues(sql + " FOR UPDATE", values);
  while (rows.Next()) found.push_back(ReservationOf(rows));
  return found;
}

void AddReservations(Connection& connection, const std::vector<Reservation*>& reservations) {
  std::deque<std::string> texts;  // owns the texts that values point to
  const auto values_of = [&](const Reservation& row, std::vector<Value>& values) {
    const auto& seats = texts.emplace_back(NumbersText(row.seats));
    values.insert(values.end(),
                  {row.id, row.concert, row.schedule, row.user, seats, row.seats.size(), row.amount,
                   row.held_at, row.expires_at, DueAt(row), OrNull(row.idempotency_key)});
  };
  InsertAll(connection,
            "INSERT INTO reservations (id, concert_id, schedule_id, user_id, seats, seat_count, amount, "
            "held_at, expires_at, due_at, idempotency_key, status) VALUES ",
            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'HELD')", reservations, values_of);
  if (reservations.size() == 1) {
    reservations.front()->number = connection.LastInsertId();
    return;
  }
  // Reads the numbers back by id: the gaps between generated numbers depend on the database server.
  std::map<ReservationId, Reservation*> by_id;
  std::vector<ReservationId> ids;
  for (auto* reservation : reservations) {
    by_id[reservation->id] = reservation;
    ids.push_back(reservation->id);
  }
  std::string sql = "SELECT id, number FROM reservations FORCE INDEX (reservations_by_id) WHERE id IN ";
  std::vector<Value> values;
  AppendInList(sql, values, ids);
  auto rows = connection.QueryValues(sql, values);
  while (rows.Next()) by_id.at(rows.Id(0))->number = rows.Int(1);
}

void UpdateReservation(Connection& connection, const Reservation& reservation) {
  connection.Execute(
      "UPDATE reservations SET status = ?, expires_at = ?, paid_at = ?, ended_at = ?, due_at = ?, hold_ver = "
      "?, extended = ?, schedule_sold_out = ?, concert_sold_out = ?, end_reason = ? WHERE number = ?",
      Name(reservation.status), reservation.expires_at, reservation.paid_at, reservation.ended_at,
      DueAt(reservation), reservation.hold_ver, reservation.extended, reservation.schedule_sold_out,
      reservation.concert_sold_out, OrNull(Name(reservation.end_reason)), reservation.number);
}

void EndReservations(Connection& connection, const std::vector<std::int64_t>& numbers,
                     ReservationStatus status, EndReason reason, Time now) {
  std::string sql =
      "UPDATE reservations SET status = ?, ended_at = ?, end_reason = ?, due_at = NULL WHERE number IN ";
  std::vector<Value> values{Name(status), now, Name(reason)};
  AppendInList(sql, values, numbers);
  connection.ExecuteValues(sql, values);
}

void ConfirmReservations(Connection& connection, const std::vector<std::int64_t>& numbers, Time paid_at) {
  std::string sql =
      "UPDATE reservations SET status = 'CONFIRMED', paid_at = ?, ended_at = NULL, end_reason = NULL, due_at "
      "= NULL WHERE "
      "number "
      "IN ";
  std::vector<Value> values{paid_at};
  AppendInList(sql, values, numbers);
  connection.ExecuteValues(sql, values);
}

std::optional<Payment> ReadPayment(Connection& connection, const PaymentId& id, Lock lock) {
  static const auto read = std::string(kPaymentColumns) + "WHERE p.id = ?";
  static const auto locked = read + " FOR UPDATE";
  auto rows = connection.Query(lock == Lock::kNone ? read : locked, id);
  if (!rows.Next()) return std::nullopt;
  return PaymentOf(rows);
}

std::optional<Payment> ReadPaymentOf(Connection& connection, std::int64_t reservation_number) {
  static const auto sql =
      std::string(kPaymentColumns) + "WHERE p.reservation_number = ? ORDER BY p.number DESC LIMIT 1";
  auto rows = connection.Query(sql, reservation_number);
  if (!rows.Next()) return std::nullopt;
  return PaymentOf(rows);
}

std::vector<Payment> ReadUnsettled(Connection& connection, Time before, std::size_t limit) {
  static const auto sql =
      std::string(kPaymentColumns) +
      "WHERE p.unsettled_since < ? AND p.status = ? ORDER BY p.unsettled_since, p.number LIMIT ?";
  std::vector<Payment> payments;
  for (const auto status : {PaymentStatus::kRefundDue, PaymentStatus::kPending}) {
    auto rows = connection.Query(sql, before, Name(status), limit);
    while (rows.Next()) payments.push_back(PaymentOf(rows));
  }
  return payments;
}

void AddPayments(Connection& connection, const std::vector<Payment*>& payments) {
  const auto values_of = [](const Payment& row, std::vector<Value>& values) {
    values.insert(values.end(),
                  {row.id, row.reservation_number, row.amount, Name(row.status), row.provider, row.method,
                   row.created_at, row.settled_at, row.hold_ver, CapturedFor(row), UnsettledSince(row)});
  };
  InsertAll(connection,
            "INSERT INTO payments (id, reservation_number, amount, status, provider, method, created_at, "
            "settled_at, hold_ver, captured_for, unsettled_since) VALUES ",
            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", payments, values_of);
  if (payments.size() == 1) payments.front()->number = connection.LastInsertId();
}

void UpdatePayment(Connection& connection, const Payment& payment, PaymentStatus before) {
  const auto changed = connection.Execute(
      "UPDATE payments SET status = ?, settled_at = ?, captured_for = ?, unsettled_since = ? "
      "WHERE number = ? AND status = ?",
      Name(payment.status), payment.settled_at, CapturedFor(payment), UnsettledSince(payment), payment.number,
      Name(before));
  if (changed != 1) throw MysqlError(kChangedRow, "another transaction changed the payment");
}

}  // namespace maejin::mysql
