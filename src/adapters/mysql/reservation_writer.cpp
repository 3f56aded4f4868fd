#include "adapters/mysql/reservation_writer.h"

#include <algorithm>
#include <map>

#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_seats.h"
#include "adapters/mysql/event_rows.h"
#include "base/run_task.h"
#include "store/booking_audit.h"
#include "store/booking_events.h"

namespace maejin::mysql {
namespace {

// The maximum of expired holds that one transaction ends.
constexpr int kExpiredAtOnce = 64;
// The maximum of reservations of a cancelled date that one transaction ends.
constexpr std::size_t kCancelledAtOnce = 32;

std::vector<ReservationId> LivingOn(Connection& connection, ScheduleId schedule, std::int64_t after,
                                    std::int64_t& last) {
  std::vector<ReservationId> living;
  auto rows = connection.Query(
      "SELECT number, id FROM reservations FORCE INDEX (PRIMARY) WHERE number > ? AND schedule_id = ? "
      "AND status IN ('HELD', 'PAYING', 'CONFIRMED') ORDER BY number LIMIT ?",
      after, schedule, kCancelledAtOnce);
  while (rows.Next()) {
    last = rows.Int(0);
    living.push_back(rows.Id(1));
  }
  return living;
}

}  // namespace

Task<Outcome<Reservation>> ReservationWriter::Extend(ReservationRef ref, Time now) {
  auto extend = [this, ref = std::move(ref), now](Connection& connection,
                                                  const Attempt& attempt) -> Outcome<Decided<Reservation>> {
    auto found = ReadReservation(connection, ref.reservation, Lock::kForUpdate);
    if (!found || !ref.Covers(*found)) return NotFound(ref);
    if (attempt.commit_unknown && found->extended) return Decided<Reservation>{std::move(*found)};
    const auto sale = context_.FindSale(connection, found->concert, found->schedule, now);
    if (!sale) return sale.error();
    if (const auto extended = ExtendDeadline(*found, sale->concert->details.hold, now); !extended)
      return extended.error();
    UpdateReservation(connection, *found);
    std::vector<EventDraft> drafts;
    AppendEvent(drafts, {*found}, now);
    AddEvents(connection, drafts);
    return Decided<Reservation>{std::move(*found)};
  };
  return context_.Transit<Reservation>(std::move(extend));
}

// A repeated cancellation changes nothing, so an attempt after an unknown commit needs no special case.
Task<Outcome<Reservation>> ReservationWriter::Cancel(ReservationRef ref, Time now) {
  auto cancel = [ref = std::move(ref), now](Connection& connection,
                                            const Attempt&) -> Outcome<Decided<Reservation>> {
    auto found = ReadReservation(connection, ref.reservation, Lock::kForUpdate);
    if (!found || !ref.Covers(*found)) return NotFound(ref);
    const auto status = StatusAfterCancel(*found);
    if (!status) return status.error();
    Decided<Reservation> decided{std::move(*found)};
    if (!*status) return decided;
    CancelAll(connection, {decided.value}, EndReason::kCustomer, now, decided.changes);
    decided.value = decided.changes.counted.back().reservation;
    return decided;
  };
  return context_.Transit<Reservation>(std::move(cancel));
}

Task<Outcome<PaymentOutcome>> ReservationWriter::CancelByOperator(ReservationId id, std::string reason,
                                                                  Operator actor) {
  auto cancel = [this, id, reason = std::move(reason), actor = std::move(actor)](
                    Connection& connection, const Attempt&) -> Outcome<Decided<PaymentOutcome>> {
    auto found = ReadReservation(connection, id, Lock::kForUpdate);
    if (!found) return NotFound({id});
    const auto status = StatusAfterCancel(*found);
    if (!status) return status.error();
    Decided<PaymentOutcome> decided;
    if (*status) {
      CancelAll(connection, {*found}, EndReason::kOperator, actor.at, decided.changes);
      found = decided.changes.counted.back().reservation;
      const auto subject = "reservation " + id.ToString();
      const auto detail = DescribeReservation(*found, reason);
      AppendAudit(connection, {actor.at, actor.name, "reservation.cancel", subject, detail});
    }
    auto payment = ReadPaymentOf(connection, found->number);
    decided.value = context_.OutcomeOf(std::move(*found), std::move(payment));
    return decided;
  };
  return context_.Transit<PaymentOutcome>(std::move(cancel));
}

void ReservationWriter::CancelAll(Connection& connection, std::vector<Reservation> reservations,
                                  EndReason reason, Time now, MirrorChanges& changes) {
  std::vector<Ending> endings;
  for (auto& reservation : reservations) {
    const auto status = StatusAfterCancel(reservation);
    if (!status || !*status) continue;
    if (**status == ReservationStatus::kRefunded) {
      auto payment = ReadPaymentOf(connection, reservation.number);
      const auto before = payment ? payment->status : PaymentStatus::kPending;
      if (payment && ApplyChange(*payment, PaymentChange::kCancelled, now))
        UpdatePayment(connection, *payment, before);
      reservation.refund_due = payment && payment->status == PaymentStatus::kRefundDue;
    }
    endings.push_back({std::move(reservation), **status});
  }
  End(connection, std::move(endings), reason, now, changes);
}

void ReservationWriter::End(Connection& connection, std::vector<Ending> endings, EndReason reason, Time now,
                            MirrorChanges& changes) {
  if (endings.empty()) return;
  struct Freed {
    ConcertId concert = 0;
    SeatMove move;
    std::vector<std::int64_t> owners;
  };
  std::map<std::pair<ScheduleId, SeatState>, Freed> dates;
  std::map<ReservationStatus, std::vector<std::int64_t>> numbers;
  std::vector<const Reservation*> ended;
  for (auto& [reservation, status] : endings) {
    const auto from = reservation.Unpaid() ? SeatState::kHeld : SeatState::kAssigned;
    auto& freed = dates[{reservation.schedule, from}];
    freed.concert = reservation.concert;
    freed.move.schedule = reservation.schedule;
    freed.move.from = from;
    freed.move.to = SeatState::kAvailable;
    freed.move.seats.insert(freed.move.seats.end(), reservation.seats.begin(), reservation.seats.end());
    freed.owners.push_back(reservation.number);
    numbers[status].push_back(reservation.number);
    reservation.status = status;
    reservation.ended_at = now;
    reservation.end_reason = reason;
    ended.push_back(&reservation);
    changes.counted.push_back({reservation, false});
  }
  for (const auto& [status, owners] : numbers) EndReservations(connection, owners, status, reason, now);
  for (auto& [date, freed] : dates) {
    auto& seats = freed.move.seats;
    std::sort(seats.begin(), seats.end());
    if (FreeSeats(connection, date.first, seats, date.second, freed.owners) !=
        static_cast<std::int64_t>(seats.size()))
      throw MysqlError(kDamaged, "seats of ended reservations belong to other reservations");
  }
  for (const auto& [date, freed] : dates)
    changes.moved.push_back(CountMove(connection, freed.concert, freed.move, {})->moved);
  AddProgress(connection, ended, -1, now);
  std::vector<EventDraft> drafts;
  for (const auto* each : ended) AppendEvent(drafts, {*each}, now);
  AddEvents(connection, drafts);
}

void ReservationWriter::EndDue(Time now) {
  struct Waiting {
    bool expired = false;
    bool cancelled = false;
  };
  // Usually nothing is due: one statement without a lock checks that first.
  const auto waiting = RunTask(context_.pool.Read([now](Connection& connection) -> Outcome<Waiting> {
    auto row = connection.Query(
        "SELECT EXISTS (SELECT 1 FROM reservations WHERE due_at <= ?), EXISTS (SELECT 1 FROM cancellations)",
        now);
    row.Next();
    return Waiting{row.Int(0) != 0, row.Int(1) != 0};
  }));
  while (waiting && waiting->expired && ExpireSome(now)) {
  }
  while (waiting && waiting->cancelled && EndSomeCancelled(now)) {
  }
}

bool ReservationWriter::ExpireSome(Time now) {
  const auto ended = RunTask(context_.Transit<std::size_t>(
      [now](Connection& connection, const Attempt&) -> Outcome<Decided<std::size_t>> {
        std::vector<Ending> endings;
        for (auto& due : LockDue(connection, now, kExpiredAtOnce))
          endings.push_back({std::move(due), ReservationStatus::kExpired});
        Decided<std::size_t> decided{endings.size()};
        End(connection, std::move(endings), EndReason::kExpired, now, decided.changes);
        return decided;
      }));
  return ended.ok() && *ended > 0;
}

bool ReservationWriter::EndSomeCancelled(Time now) {
  auto end = [now](Connection& connection, const Attempt&) -> Outcome<Decided<bool>> {
    ScheduleId schedule = 0;
    std::int64_t done = 0;
    {
      auto turn = connection.Query(
          "SELECT schedule_id, done_number FROM cancellations LIMIT 1 FOR UPDATE SKIP LOCKED");
      if (!turn.Next()) return Decided<bool>{false};
      schedule = turn.Int(0);
      done = turn.Int(1);
    }
    Decided<bool> decided{true};
    const auto living = LivingOn(connection, schedule, done, done);
    if (!living.empty())
      CancelAll(connection, LockReservations(connection, living), EndReason::kCancelled, now,
                decided.changes);
    if (living.size() < kCancelledAtOnce) {
      connection.Execute("DELETE FROM cancellations WHERE schedule_id = ?", schedule);
    } else {
      connection.Execute("UPDATE cancellations SET done_number = ? WHERE schedule_id = ?", done, schedule);
    }
    return decided;
  };
  const auto ended = RunTask(context_.Transit<bool>(std::move(end)));
  return ended && *ended;
}

}  // namespace maejin::mysql
