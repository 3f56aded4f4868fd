// Rows of schema/0002_booking.sql, read and written. Nothing is decided here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/mysql/booking_mirror.h"
#include "adapters/mysql/connection.h"
#include "domain/booking_event.h"
#include "domain/concert.h"
#include "store/booking_operations.h"

namespace maejin::mysql {

// JSON arrays of numbers: "[1,2]". Reading skips everything but digits.
std::string NumbersText(const std::vector<std::int32_t>& numbers);
std::vector<std::int32_t> ReadNumbers(std::string_view text);

// "…, ?, ?)" with one mark per value: an IN list.
std::string InList(std::size_t count);

// --- concerts
// Held by whoever gives ids or takes over imported ones; the first lock of a transaction.
void LockIds(Connection& connection);
// Absent: no such concert.
std::shared_ptr<const ConcertRecord> ReadConcert(Connection& connection, ConcertId concert);
ConcertId AddConcert(Connection& connection, const ConcertDetails& details, const Id128& token, Time now);
// The schedule, its sections, its seats and their counts. `token` names the request that adds it.
void AddSchedule(Connection& connection, ConcertId concert, const SchedulePlan& plan, const Id128& token,
                 Time now);
std::vector<Section> ReadSections(Connection& connection, ScheduleId schedule);
// Only the rows of the seats themselves.
void AddSeatRows(Connection& connection, ScheduleId schedule, const SchedulePlan& plan);
ShardSnapshot ReadShard(Connection& connection, ScheduleId schedule, std::int32_t shard);

// --- reservations
enum class Lock { kNone, kForUpdate };
std::optional<Reservation> ReadReservation(Connection& connection, const ReservationId& id, Lock lock);
std::optional<Reservation> ReadReservation(Connection& connection, std::int64_t number, Lock lock);
std::optional<Reservation> ReadReservationByKey(Connection& connection, ConcertId concert, const UserId& user,
                                                const std::string& key);
// Ascending by number.
std::vector<Reservation> ReadReservations(Connection& connection, const ReservationFilter& filter);
// Unpaid reservations whose deadline has passed, locked; those that somebody else has locked are left out.
std::vector<Reservation> LockDue(Connection& connection, Time now, int limit);
// Sets its number.
void AddReservation(Connection& connection, Reservation& reservation);
void UpdateReservation(Connection& connection, const Reservation& reservation);

// --- payments
std::optional<Payment> ReadPayment(Connection& connection, const PaymentId& id, Lock lock);
// The newest of a reservation.
std::optional<Payment> ReadPaymentOf(Connection& connection, std::int64_t reservation_number);
std::vector<Payment> ReadUnsettled(Connection& connection, Time before, std::size_t limit);
void AddPayment(Connection& connection, Payment& payment);
void UpdatePayment(Connection& connection, const Payment& payment);

// --- what others must hear
void AddOutbox(Connection& connection, ConcertId concert, Time at, const ProgressChanged& fact);
// Also the row for ever.
void AddOutbox(Connection& connection, const ScheduleSoldOut& fact);
void AddOutbox(Connection& connection, const ConcertSoldOut& fact);

}  // namespace maejin::mysql
