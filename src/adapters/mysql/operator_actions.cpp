#include "adapters/mysql/operator_actions.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_seats.h"
#include "adapters/mysql/operator_view.h"
#include "store/booking_audit.h"

namespace maejin::mysql {
namespace {

// Reads and locks the seats.
std::map<SeatNumber, SeatState> LockSeats(Connection& connection, ScheduleId schedule,
                                          const std::vector<SeatNumber>& seats) {
  std::map<SeatNumber, SeatState> states;
  // The numbers come from the database, not from a client, so the list may be part of the statement.
  auto rows = connection.Query(
      fmt::format(
          "SELECT number, CAST(state AS UNSIGNED) FROM seats WHERE schedule_id = ? AND number IN ({}) "
          "ORDER BY number FOR UPDATE",
          fmt::join(seats, ",")),
      schedule);
  while (rows.Next()) {
    states[static_cast<SeatNumber>(rows.Int(0))] = static_cast<SeatState>(rows.Int(1) - 1);
  }
  return states;
}

// Checks the seats in the order of the request. Refuses: kSeatNotFound; blocking also kSeatTaken, kSeatHeld.
Outcome<Done> Check(const std::vector<SeatNumber>& seats, const std::map<SeatNumber, SeatState>& states,
                    bool blocking) {
  for (const auto seat : seats) {
    const auto found = states.find(seat);
    if (found == states.end()) return Refused{Refusal::kSeatNotFound, std::to_string(seat)};
    if (!blocking) continue;
    if (found->second == SeatState::kAssigned) return Refused{Refusal::kSeatTaken, std::to_string(seat)};
    if (found->second == SeatState::kHeld) return Refused{Refusal::kSeatHeld, std::to_string(seat)};
  }
  return Done{};
}

// Locks the concert and returns its status; empty: there is no such concert.
std::string StatusOf(Connection& connection, ConcertId concert) {
  auto row = connection.Query("SELECT status FROM concerts WHERE id = ? FOR UPDATE", concert);
  return row.Next() ? std::string(row.Text(0)) : "";
}

// Marks the date as cancelled; false: it was. ReservationWriter::EndDue() ends its reservations later.
// Precondition: the shards of the date are closed.
bool CancelDate(Connection& connection, ConcertId concert, ScheduleId schedule) {
  std::int64_t open_shards = 0;
  {
    auto row =
        connection.Query("SELECT status, open_shards FROM schedules WHERE id = ? FOR UPDATE", schedule);
    if (!row.Next() || row.Text(0) == "CANCELLED") return false;
    open_shards = row.Int(1);
  }
  connection.Execute("UPDATE schedules SET status = 'CANCELLED' WHERE id = ?", schedule);
  if (open_shards > 0)
    connection.Execute("UPDATE concerts SET open_schedules = open_schedules - 1 WHERE id = ?", concert);
  connection.Execute(
      "INSERT IGNORE INTO cancellations (schedule_id, concert_id, done_number) VALUES (?, ?, 0)", schedule,
      concert);
  return true;
}

// Moves the reserved seats to the new date on the progress boards. Seats are summed by the quarter of an hour
// in which their holds began: in every time zone, such a quarter belongs to one day.
void MoveProgress(Connection& connection, ConcertId concert, ScheduleId schedule, Date from, Date to,
                  Time now) {
  std::vector<ProgressChanged> moved;
  {
    auto rows = connection.Query(
        "SELECT SUM(seat_count), MIN(held_at) FROM reservations WHERE concert_id = ? AND schedule_id = ? AND "
        "concert_id NOT IN (SELECT c.id FROM concerts c WHERE c.ranked = 0) AND status IN "
        "('HELD', 'PAYING', 'CONFIRMED') GROUP BY FLOOR(TIMESTAMPDIFF(SECOND, '1970-01-01', held_at) / 900)",
        concert, schedule);
    while (rows.Next()) moved.push_back({schedule, from, -rows.Int(0), rows.At(1)});
  }
  for (auto& each : moved) {
    AddOutbox(connection, concert, now, each);
    each.concert_date = to;
    each.seats = -each.seats;
    AddOutbox(connection, concert, now, each);
  }
}

// Runs an action of an operator in one transaction. `act(connection, changes)` changes the concert; then
// Operate() raises the concert's version and adds the row of the audit log. `act` returns false if an earlier
// action has made this change: then it changes nothing, and the log gets no row.
template <class Act>
Task<Outcome<ConcertView>> Operate(BookingContext& context, ConcertId concert, Operator actor,
                                   std::string action, std::string subject, std::string detail, Act act) {
  const auto now = actor.at;
  auto decide = [&context, concert, actor = std::move(actor), action = std::move(action),
                 subject = std::move(subject), detail = std::move(detail), act = std::move(act)](
                    Connection& connection, const Attempt&) -> Outcome<Decided<ConcertId>> {
    MirrorChanges changes;
    const Outcome<bool> acted = act(connection, changes);
    if (!acted.ok()) return acted.error();
    if (!*acted) return ReadForMirror(connection, context.mirror, concert);
    if (!connection.Execute("UPDATE concerts SET version = version + 1, life = life + ? WHERE id = ?",
                            action.starts_with("seats.") ? 0 : 1, concert))
      return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
    AppendAudit(connection, {actor.at, actor.name, action, subject, detail});
    auto read = ReadForMirror(connection, context.mirror, concert);
    read.changes.moved = std::move(changes.moved);
    return read;
  };
  return ViewOf(context, context.Transit<ConcertId>(std::move(decide)), now);
}

Task<Outcome<ConcertView>> ChangeSeats(BookingContext& context, Task<Outcome<Done>> looking,
                                       ScheduleId schedule, std::vector<SeatNumber> seats, SeatState to,
                                       Operator actor) {
  const auto known = co_await std::move(looking);
  if (!known) co_return known.error();
  const auto record = context.mirror.RecordOfSchedule(schedule);
  if (!record) co_return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const bool blocking = to == SeatState::kBlocked;
  auto detail = NumbersText(seats);
  auto act = [schedule, seats = std::move(seats), concert = record->id, blocking](
                 Connection& connection, MirrorChanges& changes) -> Outcome<bool> {
    const auto states = LockSeats(connection, schedule, seats);
    if (auto checked = Check(seats, states, blocking); !checked) return checked.error();
    SeatMove move{schedule, {}, SeatState::kAvailable, SeatState::kBlocked, {}, {}};
    if (!blocking) std::swap(move.from, move.to);
    for (const auto& [seat, state] : states) {
      if (state == move.from) move.seats.push_back(seat);
    }
    if (move.seats.empty()) return true;
    const auto count = static_cast<std::int64_t>(move.seats.size());
    if (MoveSeats(connection, move) != count) throw MysqlError(kDamaged, "locked seats changed");
    auto counted = CountMove(connection, concert, move, {});
    connection.Execute("UPDATE schedules SET for_sale = for_sale + ? WHERE id = ?", blocking ? -count : count,
                       schedule);
    changes.moved.push_back(std::move(counted->moved));
    return true;
  };
  co_return co_await Operate(context, record->id, std::move(actor),
                             blocking ? "seats.block" : "seats.release",
                             "schedule " + std::to_string(schedule), std::move(detail), std::move(act));
}

}  // namespace

Task<Outcome<ConcertView>> OperatorActions::BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                       Operator actor) {
  return ChangeSeats(context_, LoadMissing(SaleRef::OfSchedule(schedule)), schedule, std::move(seats),
                     SeatState::kBlocked, std::move(actor));
}

Task<Outcome<ConcertView>> OperatorActions::UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                         Operator actor) {
  return ChangeSeats(context_, LoadMissing(SaleRef::OfSchedule(schedule)), schedule, std::move(seats),
                     SeatState::kAvailable, std::move(actor));
}

Task<Outcome<ConcertView>> OperatorActions::CancelSchedule(ScheduleId schedule, Operator actor) {
  const auto known = co_await LoadMissing(SaleRef::OfSchedule(schedule));
  if (!known) co_return known.error();
  const auto record = context_.mirror.RecordOfSchedule(schedule);
  if (!record) co_return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  auto act = [schedule, concert = record->id](Connection& connection, MirrorChanges&) -> Outcome<bool> {
    connection.Execute("UPDATE seat_counts SET closed = 1 WHERE schedule_id = ? ORDER BY shard", schedule);
    return CancelDate(connection, concert, schedule);
  };
  co_return co_await Operate(context_, record->id, std::move(actor), "schedule.cancel",
                             "schedule " + std::to_string(schedule), "", std::move(act));
}

Task<Outcome<ConcertView>> OperatorActions::CancelConcert(ConcertId concert, Operator actor) {
  auto act = [concert](Connection& connection, MirrorChanges&) -> Outcome<bool> {
    connection.Execute("UPDATE seat_counts SET closed = 1 WHERE concert_id = ? ORDER BY schedule_id, shard",
                       concert);
    std::vector<ScheduleId> dates;
    {
      auto rows =
          connection.Query("SELECT id FROM schedules WHERE concert_id = ? ORDER BY id FOR UPDATE", concert);
      while (rows.Next()) dates.push_back(rows.Int(0));
    }
    if (StatusOf(connection, concert) == "CANCELLED") return false;
    for (const auto date : dates) CancelDate(connection, concert, date);
    connection.Execute("UPDATE concerts SET status = 'CANCELLED' WHERE id = ?", concert);
    return true;
  };
  return Operate(context_, concert, std::move(actor), "concert.cancel", AuditSubject(concert), "",
                 std::move(act));
}

Task<Outcome<ConcertView>> OperatorActions::CloseConcert(ConcertId concert, Operator actor) {
  auto act = [concert](Connection& connection, MirrorChanges&) -> Outcome<bool> {
    connection.Execute("UPDATE seat_counts SET closed = 1 WHERE concert_id = ? ORDER BY schedule_id, shard",
                       concert);
    const auto status = StatusOf(connection, concert);
    if (status.empty()) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
    if (status == "CANCELLED") return Refusal::kConcertCancelled;
    if (status == "CLOSED") return false;
    connection.Execute("UPDATE concerts SET status = 'CLOSED' WHERE id = ?", concert);
    return true;
  };
  return Operate(context_, concert, std::move(actor), "concert.close", AuditSubject(concert), "",
                 std::move(act));
}

Task<Outcome<ConcertView>> OperatorActions::ReopenConcert(ConcertId concert, Operator actor) {
  auto act = [concert](Connection& connection, MirrorChanges&) -> Outcome<bool> {
    connection.Query(
        "SELECT shard FROM seat_counts WHERE concert_id = ? ORDER BY schedule_id, shard FOR UPDATE", concert);
    const auto status = StatusOf(connection, concert);
    if (status.empty()) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
    if (status == "CANCELLED") return Refusal::kConcertCancelled;
    if (status != "CLOSED") return Refusal::kNotClosed;
    connection.Execute(
        "UPDATE seat_counts SET closed = 0 WHERE concert_id = ? AND schedule_id NOT IN (SELECT id FROM "
        "schedules "
        "WHERE concert_id = ? AND status = 'CANCELLED')",
        concert, concert);
    connection.Execute("UPDATE concerts SET status = 'ACTIVE' WHERE id = ?", concert);
    return true;
  };
  return Operate(context_, concert, std::move(actor), "concert.reopen", AuditSubject(concert), "",
                 std::move(act));
}

Task<Outcome<ConcertView>> OperatorActions::ChangeConcert(ConcertId concert, ConcertPatch patch,
                                                          Operator actor) {
  auto detail = Describe(patch);
  auto act = [concert, patch = std::move(patch), now = actor.at](Connection& connection,
                                                                 MirrorChanges&) -> Outcome<bool> {
    connection.Query("SELECT 1 FROM concerts WHERE id = ? FOR UPDATE", concert);
    const auto record = ReadConcert(connection, concert);
    if (!record) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
    const auto changed = Changed(record->details, patch, record->life + 1,
                                 {.cancelled = record->cancelled, .closed = record->closed}, now);
    if (!changed) return changed.error();
    connection.Execute(
        "UPDATE concerts SET title = ?, artist = ?, venue = ?, booking_open_at = ?, hold_seconds = ?, "
        "max_seats_per_user = ?, max_seats_per_date = ?, cooldown_seconds = ?, listed = ?, ranked = ?, "
        "color = ?, organizer = ?, pre_queue_order = ?, pre_queue_order_life = ?, pre_queue_at = ?, "
        "pre_queue_at_life = ? WHERE id = ?",
        changed->title, changed->artist, changed->venue, changed->booking_open_at, changed->hold.count(),
        changed->max_seats_per_user, changed->max_seats_per_date, changed->cooldown.count(), changed->listed,
        changed->ranked, TextOf(changed->color), changed->organizer, Name(changed->pre_queue.order.value),
        changed->pre_queue.order.life, changed->pre_queue.at.value, changed->pre_queue.at.life, concert);
    connection.Execute("UPDATE sold_out_concerts SET title = ?, artist = ?, venue = ? WHERE concert_id = ?",
                       changed->title, changed->artist, changed->venue, concert);
    return true;
  };
  return Operate(context_, concert, std::move(actor), "concert.change", AuditSubject(concert),
                 std::move(detail), std::move(act));
}

Task<Outcome<ConcertView>> OperatorActions::ChangeSchedule(ScheduleId schedule, SchedulePatch patch,
                                                           Operator actor) {
  const auto known = co_await LoadMissing(SaleRef::OfSchedule(schedule));
  if (!known) co_return known.error();
  const auto record = context_.mirror.RecordOfSchedule(schedule);
  if (!record) co_return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  auto detail = Describe(patch);
  auto act = [schedule, patch = std::move(patch)](Connection& connection, MirrorChanges&) -> Outcome<bool> {
    {
      auto row = connection.Query("SELECT status FROM schedules WHERE id = ? FOR UPDATE", schedule);
      // The date's status is enough: cancelling a concert cancels its dates. A date that was cancelled alone
      // gets the same refusal.
      if (!row.Next() || row.Text(0) != "ACTIVE") return Refusal::kConcertCancelled;
    }
    if (patch.starts_at)
      connection.Execute("UPDATE schedules SET starts_at = ? WHERE id = ?", *patch.starts_at, schedule);
    if (patch.sales_end_at)
      connection.Execute("UPDATE schedules SET sales_end_at = ? WHERE id = ?", *patch.sales_end_at, schedule);
    return true;
  };
  co_return co_await Operate(context_, record->id, std::move(actor), "schedule.change",
                             "schedule " + std::to_string(schedule), std::move(detail), std::move(act));
}

Task<Outcome<ConcertView>> OperatorActions::PostponeSchedule(ScheduleId schedule, NewDate to,
                                                             Operator actor) {
  const auto known = co_await LoadMissing(SaleRef::OfSchedule(schedule));
  if (!known) co_return known.error();
  const auto record = context_.mirror.RecordOfSchedule(schedule);
  if (!record) co_return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  auto act = [schedule, to, concert = record->id, now = actor.at](Connection& connection,
                                                                  MirrorChanges&) -> Outcome<bool> {
    Date before;
    // A transaction that holds or frees seats locks these rows until its commit. So its seats are counted at
    // the old date, or it waits and they are counted at the new date.
    connection.Query("SELECT shard FROM seat_counts WHERE schedule_id = ? ORDER BY shard FOR UPDATE",
                     schedule);
    {
      auto row =
          connection.Query("SELECT status, concert_date FROM schedules WHERE id = ? FOR UPDATE", schedule);
      // The date's status is enough: cancelling a concert cancels its dates. A date that was cancelled alone
      // gets the same refusal.
      if (!row.Next() || row.Text(0) != "ACTIVE") return Refusal::kConcertCancelled;
      before = row.Day(1);
    }
    if (before != to.date) {
      MoveProgress(connection, concert, schedule, before, to.date, now);
      connection.Execute("UPDATE schedules SET previous_date = ?, postponed_at = ? WHERE id = ?", before, now,
                         schedule);
    }
    connection.Execute(
        "UPDATE schedules SET concert_date = ?, starts_at = ?, day_ends_at = ?, sales_end_at = NULL WHERE id "
        "= ?",
        to.date, to.starts_at, to.day_ends_at, schedule);
    return true;
  };
  co_return co_await Operate(context_, record->id, std::move(actor), "schedule.postpone",
                             "schedule " + std::to_string(schedule), FormatDate(to.date), std::move(act));
}

Task<Outcome<PaymentOutcome>> OperatorActions::CancelReservation(ReservationId reservation,
                                                                 std::string reason, Operator actor) {
  return reservations_.CancelByOperator(reservation, std::move(reason), std::move(actor));
}

Task<Outcome<std::vector<Reservation>>> OperatorActions::ListReservations(ReservationFilter filter) const {
  return context_.pool.Read(
      [filter = std::move(filter)](Connection& connection) -> Outcome<std::vector<Reservation>> {
        return ReadReservations(connection, filter);
      });
}

}  // namespace maejin::mysql
