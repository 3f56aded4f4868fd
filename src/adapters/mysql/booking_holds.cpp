// Holding seats and giving them back.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_store.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::mysql {
namespace {

// How many expired holds one transaction ends.
constexpr int kExpiredAtOnce = 64;
// Best seats that another took first are chosen again this often.
constexpr int kChoices = 8;

Refused NotFound(const Claim& claim) { return {Refusal::kReservationNotFound, claim.reservation.ToString()}; }

Outcome<std::optional<Reservation>> ByKey(Connection& connection, ConcertId concert,
                                          const HoldRequest& request) {
  if (request.idempotency_key.empty()) return std::optional<Reservation>{};
  auto before = ReadReservationByKey(connection, concert, request.user, request.idempotency_key);
  if (!before) return std::optional<Reservation>{};
  if (!IsAnswerTo(request, *before)) return Refusal::kIdempotencyMismatch;
  return before;
}

}  // namespace

Task<Outcome<Reservation>> MysqlBookingStore::Hold(HoldRequest request, Time now) {
  const auto schedule = request.schedule;
  const auto known = co_await LookForSchedule(schedule);
  if (!known) co_return known.error();
  // Without a key there is nothing to look up: what this node knows to be gone is refused without asking the
  // database.
  if (request.idempotency_key.empty()) {
    const auto on_sale = mirror_.OnSale(schedule, now);
    if (!on_sale) co_return on_sale.error();
    const auto chosen = mirror_.Choose(request);
    if (!chosen) co_return chosen.error();
  }
  HoldTry wanted{std::move(request), ReservationId::Random(random_), now};
  if (MayShare(wanted.request)) co_return co_await Told<Reservation>(holds_(std::move(wanted)));
  auto hold = [this, wanted = std::move(wanted)](Connection& connection, const Attempt& attempt) {
    return DecideHold(connection, attempt, wanted);
  };
  co_return co_await Transit<Reservation>(std::move(hold));
}

bool MysqlBookingStore::MayShare(const HoldRequest& request) const {
  const auto concert = mirror_.RecordOfSchedule(request.schedule);
  return !request.best && concert && !HasLimits(concert->details);
}

Reservation MysqlBookingStore::NewHold(const HoldTry& wanted, const ConcertRecord& concert,
                                       const ScheduleRecord& date, std::vector<SeatNumber> seats) {
  Reservation reservation;
  reservation.id = wanted.id;
  reservation.concert = concert.id;
  reservation.schedule = date.id;
  reservation.user = wanted.request.user;
  reservation.seats = std::move(seats);
  for (const auto seat : reservation.seats) reservation.amount += date.layout->PriceOf(seat);
  reservation.held_at = wanted.now;
  reservation.expires_at = wanted.now + concert.details.hold;
  reservation.idempotency_key = wanted.request.idempotency_key;
  return reservation;
}

Outcome<MysqlBookingStore::Decided<Reservation>> MysqlBookingStore::DecideHold(Connection& connection,
                                                                               const Attempt& attempt,
                                                                               const HoldTry& wanted) {
  const auto& [request, id, now] = wanted;
  const auto concert = mirror_.RecordOfSchedule(request.schedule);
  if (!concert) return Refused{Refusal::kScheduleNotFound, std::to_string(request.schedule)};
  if (attempt.commit_unknown) {
    if (auto made = ReadReservation(connection, id, Lock::kForUpdate))
      return Decided<Reservation>{std::move(*made), {}};
  }
  auto before = ByKey(connection, concert->id, request);
  if (!before) return before.error();
  if (*before) return Decided<Reservation>{std::move(**before), {}};
  const auto chosen = ChooseSeats(connection, *concert, request, now);
  if (!chosen) {
    // Who was quicker may have been this very request, on another connection.
    before = ByKey(connection, concert->id, request);
    if (before && *before) return Decided<Reservation>{std::move(**before), {}};
    return chosen.error();
  }
  const auto sale = FindSale(connection, concert->id, request.schedule, now);
  if (!sale) return sale.error();
  auto reservation = NewHold(wanted, *concert, *sale->schedule, *chosen);
  AddReservation(connection, reservation);
  const SeatMove move{request.schedule, *chosen, SeatState::kAvailable,
                      SeatState::kHeld, {},      reservation.number};
  if (MoveSeats(connection, move) != static_cast<std::int64_t>(chosen->size())) {
    return WhyNotFree(connection, request, *chosen, attempt);
  }
  auto counted = CountMove(connection, concert->id, move, {});
  if (!counted) return Refusal::kNotOpen;
  AddProgress(connection, {&reservation}, +1, now);
  Decided<Reservation> decided{std::move(reservation), {}};
  decided.changes.moved.push_back(std::move(counted->moved));
  decided.changes.counted.push_back({decided.value, true});
  return decided;
}

Outcome<std::vector<SeatNumber>> MysqlBookingStore::ChooseSeats(Connection& connection,
                                                                const ConcertRecord& concert,
                                                                const HoldRequest& request, Time now) {
  const auto on_sale = mirror_.OnSale(request.schedule, now);
  if (!on_sale) return on_sale.error();
  auto chosen = mirror_.Choose(request);
  if (!chosen) return chosen;
  const auto checked = CheckLimits(connection, concert, request, chosen->size(), now);
  if (!checked) return checked.error();
  return chosen;
}

// Somebody was quicker, on this node or another: the rows say who has the seats, and the mirror learns it.
Refused MysqlBookingStore::WhyNotFree(Connection& connection, const HoldRequest& request,
                                      const std::vector<SeatNumber>& seats, const Attempt& attempt) {
  LearnSeats(connection, request.schedule, seats);
  // Where the choice is the server's, there may be other seats.
  if (request.best && attempt.number < kChoices)
    throw MysqlError(kChangedRow, "the seats were taken meanwhile");
  const auto again = mirror_.Choose(request);
  return again ? Refused{Refusal::kSeatHeld, std::to_string(seats.front())} : again.error();
}

void MysqlBookingStore::LearnSeats(Connection& connection, ScheduleId schedule,
                                   const std::vector<SeatNumber>& seats) {
  // What this transaction took itself is nobody's.
  connection.Command("ROLLBACK");
  std::set<std::int32_t> shards;
  for (const auto seat : seats) shards.insert(ShardOf(seat));
  for (const auto shard : shards) mirror_.Apply(ReadShard(connection, schedule, shard));
}

Outcome<Done> MysqlBookingStore::CheckLimits(Connection& connection, const ConcertRecord& concert,
                                             const HoldRequest& request, std::size_t seats, Time now) {
  const auto& details = concert.details;
  if (!HasLimits(details)) return Done{};
  connection.Execute("INSERT IGNORE INTO buyers (concert_id, user_id) VALUES (?, ?)", concert.id,
                     request.user);
  connection.Query("SELECT 1 FROM buyers WHERE concert_id = ? AND user_id = ? FOR UPDATE", concert.id,
                   request.user);
  auto row = connection.Query(
      "SELECT COALESCE(SUM(IF(status IN ('HELD', 'PAYING', 'CONFIRMED'), seat_count, 0)), 0), "
      "COALESCE(SUM(IF(status IN ('HELD', 'PAYING', 'CONFIRMED') AND schedule_id = ?, seat_count, 0)), 0), "
      "COALESCE(SUM(status IN ('EXPIRED', 'CANCELLED') AND schedule_id = ?), 0) "
      "FROM reservations WHERE concert_id = ? AND user_id = ?",
      request.schedule, request.schedule, concert.id, request.user);
  row.Next();
  CustomerSeats customer{.in_concert = row.Int(0), .on_date = row.Int(1)};
  const auto unpaid = row.Int(2);
  if (details.cooldown > Seconds{0} && unpaid >= static_cast<std::int64_t>(UnpaidHolds::kAllowed)) {
    auto ends = connection.Query(
        "SELECT ended_at FROM reservations WHERE concert_id = ? AND user_id = ? AND schedule_id = ? AND "
        "status IN ('EXPIRED', 'CANCELLED') ORDER BY ended_at DESC LIMIT ?",
        concert.id, request.user, request.schedule, UnpaidHolds::kAllowed);
    while (ends.Next()) customer.unpaid.Add(ends.At(0));
  }
  return maejin::CheckLimits(details, customer, seats, now);
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::FindReservation(Claim claim, Time) {
  const auto read = [this, claim](Connection& connection) -> Outcome<PaymentOutcome> {
    auto found = ReadReservation(connection, claim.reservation, Lock::kNone);
    if (!found || !claim.Covers(*found)) return NotFound(claim);
    auto payment = ReadPaymentOf(connection, found->number);
    return OutcomeOf(std::move(*found), std::move(payment));
  };
  return pool_.Read(read);
}

Task<Outcome<Reservation>> MysqlBookingStore::ExtendHold(Claim claim, Time now) {
  const auto extend = [this, claim, now](Connection& connection,
                                         const Attempt& attempt) -> Outcome<Decided<Reservation>> {
    auto found = ReadReservation(connection, claim.reservation, Lock::kForUpdate);
    if (!found || !claim.Covers(*found)) return NotFound(claim);
    if (attempt.commit_unknown && found->extended) return Decided<Reservation>{std::move(*found), {}};
    if (!found->Unpaid() || now >= found->expires_at) return Refusal::kHoldExpired;
    if (found->extended) return Refusal::kAlreadyExtended;
    const auto sale = FindSale(connection, found->concert, found->schedule, now);
    if (!sale) return sale.error();
    found->extended = true;
    found->expires_at += sale->concert->details.hold;
    UpdateReservation(connection, *found);
    return Decided<Reservation>{std::move(*found), {}};
  };
  return ToldInTime<Reservation>([this, extend] { return pool_.Write(extend); });
}

Task<Outcome<Reservation>> MysqlBookingStore::Cancel(Claim claim, Time now) {
  return Transit<Reservation>([this, claim, now](Connection& connection, const Attempt&) {
    return DecideCancel(connection, claim, now);
  });
}

// Told twice it changes nothing more, so an earlier try whose commit is unknown needs no other answer.
Outcome<MysqlBookingStore::Decided<Reservation>> MysqlBookingStore::DecideCancel(Connection& connection,
                                                                                 const Claim& claim,
                                                                                 Time now) {
  auto found = ReadReservation(connection, claim.reservation, Lock::kForUpdate);
  if (!found || !claim.Covers(*found)) return NotFound(claim);
  Decided<Reservation> decided{std::move(*found), {}};
  auto& reservation = decided.value;
  switch (reservation.status) {
    case ReservationStatus::kCancelled:
    case ReservationStatus::kRefunded:
      return decided;
    case ReservationStatus::kExpired:
      return Refusal::kHoldExpired;
    case ReservationStatus::kHeld:
    case ReservationStatus::kPaying:
      End(connection, reservation, ReservationStatus::kCancelled, now, decided.changes);
      return decided;
    case ReservationStatus::kConfirmed:
      break;
  }
  if (auto payment = ReadPaymentOf(connection, reservation.number)) {
    const auto before = payment->status;
    if (ApplyChange(*payment, PaymentChange::kCancelled, now)) UpdatePayment(connection, *payment, before);
  }
  End(connection, reservation, ReservationStatus::kRefunded, now, decided.changes);
  return decided;
}

void MysqlBookingStore::End(Connection& connection, Reservation& reservation, ReservationStatus status,
                            Time now, Changes& changes) {
  const auto from =
      reservation.status == ReservationStatus::kConfirmed ? SeatState::kAssigned : SeatState::kHeld;
  const SeatMove move{reservation.schedule,  reservation.seats,  from,
                      SeatState::kAvailable, reservation.number, {}};
  reservation.status = status;
  reservation.ended_at = now;
  UpdateReservation(connection, reservation);
  if (MoveSeats(connection, move) != static_cast<std::int64_t>(reservation.seats.size())) {
    throw MysqlError(kDamaged, "seats of reservation " + reservation.id.ToString() + " are not its own");
  }
  changes.moved.push_back(CountMove(connection, reservation.concert, move, {})->moved);
  AddProgress(connection, {&reservation}, -1, now);
  changes.counted.push_back({reservation, false});
}

void MysqlBookingStore::ExpireHolds(Time now) {
  if (!pool_.Connected() || !Pulse()) return;
  struct Waiting {
    bool expired = false;
    bool cancelled = false;
  };
  // Mostly there is nothing: found out with one statement, and without a lock.
  const auto waiting = RunTask(pool_.Read([now](Connection& connection) -> Outcome<Waiting> {
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

// As End() for each, but with one statement for all reservations, one for the seats of a date, and then the counts: the
// locks that others wait for are held for the shortest time.
void MysqlBookingStore::ExpireAll(Connection& connection, const std::vector<Reservation>& due, Time now,
                                  Changes& changes) {
  if (due.empty()) return;
  std::vector<std::int64_t> numbers;
  std::map<std::pair<ConcertId, ScheduleId>, SeatMove> moves;
  for (const auto& reservation : due) {
    auto& counted = changes.counted.emplace_back(Changes::Counted{reservation, false});
    counted.reservation.status = ReservationStatus::kExpired;
    numbers.push_back(reservation.number);
    auto& move = moves[{reservation.concert, reservation.schedule}];
    move.schedule = reservation.schedule;
    move.from = SeatState::kHeld;
    move.to = SeatState::kAvailable;
    move.seats.insert(move.seats.end(), reservation.seats.begin(), reservation.seats.end());
  }
  // Numbers of our own, so the lists are safe to write out.
  const auto owners = fmt::format("{}", fmt::join(numbers, ","));
  connection.Execute(
      fmt::format("UPDATE reservations SET status = 'EXPIRED', ended_at = ?, due_at = NULL WHERE number "
                  "IN ({})",
                  owners),
      now);
  for (auto& [sale, move] : moves) {
    std::sort(move.seats.begin(), move.seats.end());
    const auto freed =
        connection.Execute(fmt::format("UPDATE seats SET state = 'AVAILABLE', reservation_number = NULL "
                                       "WHERE schedule_id = ? AND number IN "
                                       "({}) AND state = 'HELD' AND reservation_number IN ({})",
                                       fmt::join(move.seats, ","), owners),
                           sale.second);
    if (freed != static_cast<std::int64_t>(move.seats.size()))
      throw MysqlError(kDamaged, "expired seats are not held");
  }
  for (const auto& [sale, move] : moves)
    changes.moved.push_back(CountMove(connection, sale.first, move, {})->moved);
  std::vector<const Reservation*> ended;
  for (const auto& reservation : due) ended.push_back(&reservation);
  AddProgress(connection, ended, -1, now);
}

// Nodes share the work: each takes what no other has locked, until it finds nothing more. True: there may be more.
bool MysqlBookingStore::ExpireSome(Time now) {
  const auto ended = RunTask(Transit<std::size_t>(
      [this, now](Connection& connection, const Attempt&) -> Outcome<Decided<std::size_t>> {
        auto due = LockDue(connection, now, kExpiredAtOnce);
        Decided<std::size_t> decided{due.size(), {}};
        ExpireAll(connection, due, now, decided.changes);
        return decided;
      }));
  return ended.ok() && *ended > 0;
}

}  // namespace maejin::mysql
