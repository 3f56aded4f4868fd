// Money: intents, assignment, refunds, and the moment the last seat is paid.
#include <algorithm>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_store.h"

namespace maejin::mysql {
PaymentOutcome MysqlBookingStore::OutcomeOf(Reservation reservation, std::optional<Payment> payment) const {
  const auto concert = mirror_.RecordOf(reservation.concert);
  const auto room = concert ? concert->details.room : RoomKind::kOwn;
  return {std::move(reservation), std::move(payment), room};
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::PayAtOnce(Claim claim, PaymentRequest request, Time now) {
  const PaymentTry wanted{std::move(claim), std::move(request), PaymentId::Random(random_), now};
  return ToldInTime<PaymentOutcome>([this, wanted] { return payments_(wanted); });
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::BeginPayment(Claim claim, PaymentRequest request, Time now) {
  const PaymentTry wanted{std::move(claim), std::move(request), PaymentId::Random(random_), now};
  const auto begin = [this, wanted](Connection& connection, const Attempt&) {
    return DecidePayment(connection, wanted, false);
  };
  return ToldInTime<PaymentOutcome>([this, begin] { return pool_.Write(begin); });
}

// The reservation's row tells what happened before: an earlier try whose commit is unknown is found paid, or
// begun, and answered as such.
Outcome<MysqlBookingStore::Decided<PaymentOutcome>> MysqlBookingStore::DecidePayment(Connection& connection,
                                                                                     const PaymentTry& wanted,
                                                                                     bool at_once) {
  const auto& [claim, request, id, now] = wanted;
  auto found = ReadReservation(connection, claim.reservation, Lock::kForUpdate);
  if (!found || !claim.Covers(*found))
    return Refused{Refusal::kReservationNotFound, claim.reservation.ToString()};
  auto& reservation = *found;
  const bool paid = reservation.status == ReservationStatus::kConfirmed;
  if (!paid && (!reservation.Unpaid() || now >= reservation.expires_at)) return Refusal::kHoldExpired;
  if (request.amount != reservation.amount) return Refusal::kAmountMismatch;
  const bool paying = reservation.status == ReservationStatus::kPaying;
  if (paying && at_once) return Refusal::kAlreadyPaying;
  if (paid || paying) {
    auto payment = ReadPaymentOf(connection, reservation.number);
    return Decided<PaymentOutcome>{OutcomeOf(std::move(reservation), std::move(payment)), {}};
  }
  auto payment = NewPayment(wanted, reservation);
  Decided<PaymentOutcome> decided{{}, {}};
  if (at_once) {
    const auto sale = FindSale(connection, reservation.concert, reservation.schedule, now);
    if (!sale) return sale.error();
    const SeatMove move{reservation.schedule, reservation.seats,  SeatState::kHeld,
                        SeatState::kAssigned, reservation.number, reservation.number};
    if (MoveSeats(connection, move) != static_cast<std::int64_t>(reservation.seats.size()))
      return Refusal::kHoldExpired;
    Assign(connection, *sale, SeatState::kHeld, reservation, payment, now, decided.changes);
  } else {
    reservation.status = ReservationStatus::kPaying;
    UpdateReservation(connection, reservation);
    AddPayment(connection, payment);
  }
  decided.value = OutcomeOf(std::move(reservation), std::move(payment));
  return decided;
}

Payment MysqlBookingStore::NewPayment(const PaymentTry& wanted, const Reservation& reservation) {
  Payment payment;
  payment.id = wanted.id;
  payment.reservation = reservation.id;
  payment.reservation_number = reservation.number;
  payment.amount = wanted.request.amount;
  payment.provider = wanted.request.provider;
  payment.method = wanted.request.method;
  payment.created_at = wanted.now;
  payment.hold_ver = reservation.hold_ver;
  return payment;
}

Time MysqlBookingStore::PaidAt(const SaleOf& sale, Time now) const {
  return std::max({now, mirror_.LastPaidAt(sale.concert->id), StartOf(*sale.concert, *sale.schedule),
                   *sale.concert->details.booking_open_at});
}

void MysqlBookingStore::Assign(Connection& connection, const SaleOf& sale, SeatState from,
                               Reservation& reservation, Payment& payment, Time now, Changes& changes) {
  const auto paid_at = PaidAt(sale, now);
  reservation.status = ReservationStatus::kConfirmed;
  reservation.paid_at = paid_at;
  reservation.ended_at.reset();
  const auto before = payment.status;
  ApplyChange(payment, PaymentChange::kCaptured, paid_at);
  if (payment.number == 0) {
    AddPayment(connection, payment);
  } else {
    UpdatePayment(connection, payment, before);
  }
  UpdateReservation(connection, reservation);
  const SeatMove move{reservation.schedule, reservation.seats, from, SeatState::kAssigned, {}, {}};
  auto counted = CountMove(connection, sale.concert->id, move, paid_at);
  if (!counted) throw MysqlError(kChangedRow, "the date was closed meanwhile");
  if (counted->schedule_sold_out) {
    FindSoldOuts(connection, sale, *counted, reservation, changes);
    payment.settled_at = reservation.paid_at;
    UpdatePayment(connection, payment, payment.status);
    UpdateReservation(connection, reservation);
  }
  changes.moved.push_back(std::move(counted->moved));
  changes.counted.push_back({reservation, false});
  changes.paid_concert = sale.concert->id;
  changes.paid_at = *reservation.paid_at;
}

// The rows of the schedule, and of the concert where that is sold out too, are locked: every other payment is
// committed.
void MysqlBookingStore::FindSoldOuts(Connection& connection, const SaleOf& sale, const Counted& counted,
                                     Reservation& reservation, Changes& changes) {
  const auto schedule = sale.schedule->id;
  const auto concert = sale.concert->id;
  auto& paid_at = *reservation.paid_at;
  const auto latest = counted.concert_sold_out ? LastPaidOfConcert(connection, concert)
                                               : LastPaidOfSchedule(connection, schedule);
  if (latest) paid_at = std::max(paid_at, *latest);
  reservation.schedule_sold_out = true;
  reservation.concert_sold_out = counted.concert_sold_out;
  changes.sold_outs.push_back({concert, schedule, paid_at, counted.concert_sold_out});
  if (connection.Execute("UPDATE schedules SET sold_out_at = ? WHERE id = ? AND sold_out_at IS NULL", paid_at,
                         schedule)) {
    ScheduleSoldOut fact{schedule, concert, {}, 0, StartOf(*sale.concert, *sale.schedule), paid_at};
    {
      auto row = connection.Query("SELECT concert_date, for_sale FROM schedules WHERE id = ?", schedule);
      row.Next();
      fact.concert_date = row.Day(0);
      fact.seats = row.Int(1);
    }
    AddOutbox(connection, fact);
  }
  connection.Execute("UPDATE concerts SET version = version + 1 WHERE id = ?", concert);
  if (!counted.concert_sold_out) return;
  if (!connection.Execute("UPDATE concerts SET sold_out_at = ? WHERE id = ? AND sold_out_at IS NULL", paid_at,
                          concert)) {
    return;
  }
  auto dates = connection.Query(
      "SELECT COUNT(*), COALESCE(SUM(for_sale), 0) FROM schedules WHERE concert_id = ? AND status = 'ACTIVE' "
      "AND for_sale > 0",
      concert);
  dates.Next();
  const auto& details = sale.concert->details;
  const ConcertSoldOut fact{concert,      details.title, details.artist,           details.venue,
                            dates.Int(0), dates.Int(1),  *details.booking_open_at, paid_at};
  AddOutbox(connection, fact);
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::RecordPayment(PaymentReport report, Time now) {
  return Transit<PaymentOutcome>(
      [this, report = std::move(report), now](Connection& connection, const Attempt&) {
        return DecideReport(connection, report, now);
      });
}

// Reads both records under the lock of the reservation; the update of the payment is guarded by the status read here.
Outcome<MysqlBookingStore::Decided<PaymentOutcome>> MysqlBookingStore::DecideReport(
    Connection& connection, const PaymentReport& report, Time now) {
  const auto known = ReadPayment(connection, report.payment, Lock::kNone);
  if (!known) return Refused{Refusal::kNotFound, report.payment.ToString()};
  auto reservation = ReadReservation(connection, known->reservation_number, Lock::kForUpdate);
  auto payment = ReadPayment(connection, report.payment, Lock::kForUpdate);
  if (!reservation || !payment) return Refused{Refusal::kNotFound, report.payment.ToString()};
  const auto before = payment->status;
  Decided<PaymentOutcome> decided{{}, {}};
  if (!IsStale(report, *payment)) {
    const auto newest = ReadPaymentOf(connection, reservation->number);
    const bool is_newest = newest && newest->id == payment->id;
    if (report.change == PaymentChange::kCaptured) {
      Capture(connection, *reservation, *payment, is_newest, now, decided.changes);
    } else if (report.change == PaymentChange::kAbandoned &&
               IsAwaited(*reservation, *payment, is_newest, now)) {
      // The hold stands: the payment may still be charged.
    } else if (ApplyChange(*payment, report.change, now)) {
      UpdatePayment(connection, *payment, before);
      const bool paying = is_newest && reservation->status == ReservationStatus::kPaying;
      if (report.change == PaymentChange::kDeclined && paying) {
        reservation->status = ReservationStatus::kHeld;
        UpdateReservation(connection, *reservation);
      }
    }
  }
  decided.value = OutcomeOf(std::move(*reservation), std::move(payment));
  if (decided.value.payment->status != before) decided.value.changed_from = before;
  return decided;
}

void MysqlBookingStore::Capture(Connection& connection, Reservation& reservation, Payment& payment,
                                bool newest, Time now, Changes& changes) {
  const auto before = payment.status;
  const bool may_assign = NextStatus(before, PaymentChange::kCaptured).has_value();
  const auto sale = FindSale(connection, reservation.concert, reservation.schedule, now);
  if (may_assign && sale && IsAwaited(reservation, payment, newest, now)) {
    const SeatMove move{reservation.schedule, reservation.seats,  SeatState::kHeld,
                        SeatState::kAssigned, reservation.number, reservation.number};
    if (MoveSeats(connection, move) == static_cast<std::int64_t>(reservation.seats.size()))
      return Assign(connection, *sale, SeatState::kHeld, reservation, payment, now, changes);
  }
  if (may_assign && sale && MayTakeAgain(reservation, newest) && TakeAgain(connection, reservation, now))
    return Assign(connection, *sale, SeatState::kAvailable, reservation, payment, now, changes);
  if (ApplyChange(payment, PaymentChange::kCapturedLate, now)) UpdatePayment(connection, payment, before);
}

// The seats are counted again on the day of the first hold.
bool MysqlBookingStore::TakeAgain(Connection& connection, Reservation& reservation, Time now) {
  if (!mirror_.OnSale(reservation.schedule, now)) return false;
  const auto wanted = static_cast<std::int64_t>(reservation.seats.size());
  std::vector<Value> values{reservation.schedule};
  values.insert(values.end(), reservation.seats.begin(), reservation.seats.end());
  {
    auto free =
        connection.QueryValues("SELECT number FROM seats WHERE schedule_id = ? AND number IN " +
                                   InList(reservation.seats.size()) + " AND state = 'AVAILABLE' FOR UPDATE",
                               values);
    std::int64_t found = 0;
    while (free.Next()) ++found;
    if (found != wanted) return false;
  }
  if (IsClosed(connection, reservation.schedule, reservation.seats)) return false;
  const SeatMove move{
      reservation.schedule, reservation.seats, SeatState::kAvailable, SeatState::kAssigned, {},
      reservation.number};
  if (MoveSeats(connection, move) != wanted) throw MysqlError(kDamaged, "locked seats changed");
  ++reservation.hold_ver;
  AddProgress(connection, {&reservation}, +1, now);
  return true;
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::FindPayment(PaymentId id, Time) {
  return pool_.Read([this, id](Connection& connection) -> Outcome<PaymentOutcome> {
    auto payment = ReadPayment(connection, id, Lock::kNone);
    if (!payment) return Refused{Refusal::kNotFound, id.ToString()};
    auto reservation = ReadReservation(connection, payment->reservation_number, Lock::kNone);
    if (!reservation) return Refused{Refusal::kNotFound, id.ToString()};
    return OutcomeOf(std::move(*reservation), std::move(payment));
  });
}

Task<Outcome<std::vector<Payment>>> MysqlBookingStore::UnsettledPayments(Time before,
                                                                         std::size_t limit) const {
  return pool_.Read([before, limit](Connection& connection) -> Outcome<std::vector<Payment>> {
    return ReadUnsettled(connection, before, limit);
  });
}

}  // namespace maejin::mysql
