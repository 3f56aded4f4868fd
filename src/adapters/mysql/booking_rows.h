// Reads and writes the rows of schema/0002_booking.sql. Decides nothing.
#pragma once

#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/mysql/booking_mirror.h"
#include "adapters/mysql/connection.h"
#include "domain/booking/booking_event.h"
#include "domain/booking/concert.h"
#include "store/booking_operations.h"

namespace maejin::mysql {

// JSON arrays of numbers: "[1,2]". Reading skips everything but digits.
std::string NumbersText(const std::vector<std::int32_t>& numbers);
std::vector<std::int32_t> ReadNumbers(std::string_view text);

// "(?, ?, ?)" with one placeholder per value: an IN list.
std::string InList(std::size_t count);
// Adds an IN list of numbers or ids and its values to a statement. The list is padded to a power of two with
// its last value, so that few statements are prepared. Precondition: not empty.
template <class Range>
void AppendInList(std::string& sql, std::vector<Value>& values, const Range& list) {
  const auto count = std::bit_ceil(list.size());
  sql += InList(count);
  for (const auto& each : list) values.emplace_back(each);
  values.resize(values.size() + count - list.size(), Value(list.back()));
}

// --- concerts
// Locks the ids of concerts and dates until the transaction ends. A transaction that gives out or imports ids
// takes this lock first.
void LockIds(Connection& connection);
// Absent: no such concert.
std::shared_ptr<const ConcertRecord> ReadConcert(Connection& connection, ConcertId concert);
ConcertId AddConcert(Connection& connection, const ConcertDetails& details, const Id128& token, Time now);
// Inserts the schedule, its sections, its seats and their counts. `token` names the request that adds it.
void AddSchedule(Connection& connection, ConcertId concert, const SchedulePlan& plan, const Id128& token,
                 Time now);
std::vector<Section> ReadSections(Connection& connection, ScheduleId schedule);
// Inserts only the rows of the seats, without sections and counts.
void AddSeatRows(Connection& connection, ScheduleId schedule, const SchedulePlan& plan);
ShardSnapshot ReadShard(Connection& connection, ScheduleId schedule, std::int32_t shard);

// --- reservations
enum class Lock { kNone, kForUpdate };
std::optional<Reservation> ReadReservation(Connection& connection, const ReservationId& id, Lock lock);
std::optional<Reservation> ReadReservation(Connection& connection, std::int64_t number, Lock lock);
std::optional<Reservation> ReadReservationByKey(Connection& connection, ConcertId concert, const UserId& user,
                                                const std::string& key);
// Ascending or descending by number, as the filter says.
std::vector<Reservation> ReadReservations(Connection& connection, const ReservationFilter& filter);
// Locks and returns unpaid reservations past their deadline. Skips rows that another transaction has locked.
std::vector<Reservation> LockDue(Connection& connection, Time now, int limit);
// Locks and returns the reservations that exist, in any order.
std::vector<Reservation> LockReservations(Connection& connection, const std::vector<ReservationId>& ids);
// Inserts the reservations and sets their numbers. Throws a MysqlError with IsDuplicate() if an idempotency
// key was used before.
void AddReservations(Connection& connection, const std::vector<Reservation*>& reservations);
void UpdateReservation(Connection& connection, const Reservation& reservation);
// Sets the status, the reason and the time of the end.
void EndReservations(Connection& connection, const std::vector<std::int64_t>& numbers,
                     ReservationStatus status, EndReason reason, Time now);
// Sets CONFIRMED and the time of the payment.
void ConfirmReservations(Connection& connection, const std::vector<std::int64_t>& numbers, Time paid_at);

// --- payments
std::optional<Payment> ReadPayment(Connection& connection, const PaymentId& id, Lock lock);
// The newest payment of a reservation.
std::optional<Payment> ReadPaymentOf(Connection& connection, std::int64_t reservation_number);
std::vector<Payment> ReadUnsettled(Connection& connection, Time before, std::size_t limit);
// Inserts the payments. Sets Payment::number only if there is one payment.
void AddPayments(Connection& connection, const std::vector<Payment*>& payments);
// Updates a payment under a fence: changes the row only while its status is `before`. Otherwise another
// transaction changed it: throws kChangedRow, and the pool runs the transaction again from a fresh read.
void UpdatePayment(Connection& connection, const Payment& payment, PaymentStatus before);

// --- the outbox
void AddOutbox(Connection& connection, ConcertId concert, Time at, const ProgressChanged& fact);
// Adds a progress fact: seats were reserved (`sign` +1) or returned (-1), at the present date of their
// schedule. Reservations of one schedule share a row if their holds began in the same quarter of an hour. In
// every time zone a day begins at the start of a quarter, so the row belongs to one day. Precondition: the
// counts of the seats' shards are locked. Postponing a date locks them too.
void AddProgress(Connection& connection, const std::vector<const Reservation*>& reservations,
                 std::int64_t sign, Time now);
// Adds the fact, and the sold-out row, which is never removed.
void AddOutbox(Connection& connection, const ScheduleSoldOut& fact);
void AddOutbox(Connection& connection, const ConcertSoldOut& fact);

}  // namespace maejin::mysql
