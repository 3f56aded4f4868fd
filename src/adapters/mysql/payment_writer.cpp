#include "adapters/mysql/payment_writer.h"

#include <algorithm>

#include "adapters/mysql/booking_batch.h"
#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/event_rows.h"
#include "adapters/mysql/sold_out_rows.h"
#include "store/booking_events.h"

namespace maejin::mysql {
namespace {

std::int64_t CountOf(const std::vector<SeatNumber>& seats) { return static_cast<std::int64_t>(seats.size()); }

// Locks the seats and their shards. False: a seat is not AVAILABLE, or the date is closed for holds.
bool LockAvailable(Connection& connection, const Reservation& reservation) {
  std::vector<Value> values{reservation.schedule};
  values.insert(values.end(), reservation.seats.begin(), reservation.seats.end());
  std::int64_t found = 0;
  {
    auto available =
        connection.QueryValues("SELECT number FROM seats WHERE schedule_id = ? AND number IN " +
                                   InList(reservation.seats.size()) + " AND state = 'AVAILABLE' FOR UPDATE",
                               values);
    while (available.Next()) ++found;
  }
  return found == CountOf(reservation.seats) &&
         !IsClosed(connection, reservation.schedule, reservation.seats);
}

// Reads the mirror of this node, which may be stale. If a payment comes before the mirror knows the
// cancellation, it is refunded with the other payments of the date.
bool IsCancelled(const BookingContext& context, const Reservation& reservation) {
  const auto concert = context.mirror.RecordOf(reservation.concert);
  const auto date = concert ? DateOf(*concert, reservation.schedule) : nullptr;
  return date && (concert->cancelled || date->cancelled);
}

// An unranked concert gets the row of its sell-out, but no fact for the boards.
template <class Fact>
void AddFact(Connection& connection, const Fact& fact, bool ranked) {
  if (ranked) {
    AddOutbox(connection, fact);
  } else {
    AddSoldOut(connection, fact);
  }
}

}  // namespace

PaymentWriter::PaymentWriter(BookingContext& context)
    : context_(context),
      batch_(
          context.pool,
          [this](Connection& connection, const Batch::Members& members) {
            return Decide(connection, members);
          },
          [this](Connection& connection, const Attempt&, const Order& order) {
            Batch::Member alone{order, {}};
            Decide(connection, {&alone});
            return std::move(*alone.outcome);
          }) {}

Task<Outcome<PaymentOutcome>> PaymentWriter::PayAtOnce(ReservationRef ref, PaymentRequest request, Time now) {
  Order order{std::move(ref), std::move(request), PaymentId::Random(context_.random), now};
  return context_.Published<PaymentOutcome>(batch_(std::move(order)));
}

Task<Outcome<PaymentOutcome>> PaymentWriter::Begin(ReservationRef ref, PaymentRequest request, Time now) {
  Order order{std::move(ref), std::move(request), PaymentId::Random(context_.random), now};
  return context_.Transit<PaymentOutcome>(
      [this, order = std::move(order)](Connection& connection, const Attempt&) {
        return DecideBegin(connection, order);
      });
}

// An unknown commit needs no special case: if the earlier attempt was committed, this attempt finds the
// reservation paid.
std::vector<PaymentWriter::Pick> PaymentWriter::PickMembers(Connection& connection,
                                                            const Batch::Members& members) const {
  std::vector<ReservationId> ids;
  for (const auto* member : members) ids.push_back(member->request.ref.reservation);
  std::sort(ids.begin(), ids.end());
  std::map<ReservationId, std::optional<Reservation>> found;
  for (auto& reservation : LockReservations(connection, ids)) {
    const auto id = reservation.id;
    found.emplace(id, std::move(reservation));
  }
  std::vector<Pick> picks;
  std::size_t seats = 0;
  for (auto* member : members) {
    const auto& [ref, request, id, now] = member->request;
    const auto row = found.find(ref.reservation);
    if (row == found.end()) {
      member->outcome.emplace(NotFound(ref));
      continue;
    }
    auto& reservation = row->second;
    if (!reservation) continue;  // an earlier member of the batch pays this reservation
    if (!ref.Covers(*reservation)) {
      member->outcome.emplace(NotFound(ref));
      continue;
    }
    const auto payable = CheckPayable(*reservation, request, IsCancelled(context_, *reservation), now);
    if (!payable) {
      member->outcome.emplace(payable.error());
      continue;
    }
    if (*payable != Payable::kNow) {
      auto payment = ReadPaymentOf(connection, reservation->number);
      member->outcome.emplace(Decided<PaymentOutcome>{context_.OutcomeOf(*reservation, std::move(payment))});
      continue;
    }
    if (members.size() > 1 && seats + reservation->seats.size() > kMaxPlaceholders) continue;
    auto sale = context_.FindSale(connection, reservation->concert, reservation->schedule, now);
    if (!sale) {
      member->outcome.emplace(sale.error());
      continue;
    }
    seats += reservation->seats.size();
    auto payment = MakePayment(*reservation, request, {id}, now);
    picks.push_back({member, std::move(*sale), std::move(*reservation), std::move(payment), now});
    reservation.reset();
  }
  return picks;
}

bool PaymentWriter::Decide(Connection& connection, const Batch::Members& members) {
  auto picks = PickMembers(connection, members);
  const bool alone = members.size() == 1;
  for (const auto& [schedule, date] : ByDate(picks)) {
    std::int64_t assigned = 0;
    const auto move = MoveOf(schedule, date, SeatState::kHeld, SeatState::kAssigned);
    if (move.seats.size() > kMaxPlaceholders) {
      const auto number = date.front()->reservation.number;
      assigned = MoveSeats(connection, {schedule, move.seats, move.from, move.to, number, number});
    } else {
      std::vector<std::int64_t> numbers;
      for (const auto* pick : date) numbers.push_back(pick->reservation.number);
      assigned = AssignSeats(connection, schedule, move.seats, numbers);
    }
    if (assigned == CountOf(move.seats)) continue;
    if (!alone) return false;
    members.front()->outcome.emplace(Refusal::kHoldExpired);
    return true;
  }
  if (picks.empty())
    return std::any_of(members.begin(), members.end(),
                       [](const auto* each) { return each->outcome.has_value(); });
  std::vector<Decided<PaymentOutcome>> decided;
  if (!Settle(connection, picks, SeatState::kHeld, decided)) return false;
  for (std::size_t i = 0; i < picks.size(); ++i) picks[i].member->outcome.emplace(std::move(decided[i]));
  return true;
}

void PaymentWriter::WriteRecords(Connection& connection, std::vector<Pick>& picks, SeatState from,
                                 Time paid_at) {
  std::vector<Payment*> added;
  std::vector<std::int64_t> numbers;
  for (auto& [member, sale, reservation, payment, now] : picks) {
    const auto before = payment.status;
    Confirm(reservation, payment, paid_at);
    numbers.push_back(reservation.number);
    if (payment.number == 0) {
      added.push_back(&payment);
    } else {
      UpdatePayment(connection, payment, before);
    }
    // A hold that expired and was taken again has a new version.
    if (from == SeatState::kAvailable) UpdateReservation(connection, reservation);
  }
  if (!added.empty()) AddPayments(connection, added);
  if (from == SeatState::kHeld) ConfirmReservations(connection, numbers, paid_at);
}

bool PaymentWriter::Settle(Connection& connection, std::vector<Pick>& picks, SeatState from,
                           std::vector<Decided<PaymentOutcome>>& decided) const {
  Time paid_at{};
  for (const auto& pick : picks) {
    const auto last = context_.mirror.LastPaidAt(pick.sale.concert->id);
    paid_at = std::max(paid_at, PaidAt(WindowOf(*pick.sale.concert, *pick.sale.schedule), last, pick.now));
  }
  WriteRecords(connection, picks, from, paid_at);
  std::map<ScheduleId, SeatMove> moves;
  std::map<ScheduleId, ShardsCounted> shards;
  const auto dates = ByDate(picks);
  for (const auto& [schedule, date] : dates) {
    const auto& move = moves[schedule] = MoveOf(schedule, date, from, SeatState::kAssigned);
    auto counted = CountShards(connection, move, paid_at);
    if (!counted) throw MysqlError(kChangedRow, "another transaction closed the date");
    shards.emplace(schedule, std::move(*counted));
  }
  std::map<ScheduleId, SeatsMoved> moved;
  MirrorChanges sold_out;
  std::vector<EventDraft> sold_out_events;
  for (const auto& [schedule, date] : dates) {
    const auto concert = date.front()->reservation.concert;
    auto counted = CountOpened(connection, concert, moves[schedule], std::move(shards.at(schedule)));
    if (counted.schedule_sold_out) {
      if (picks.size() > 1) return false;
      FindSoldOuts(connection, picks.front(), counted.concert_sold_out, sold_out, sold_out_events);
    }
    moved.emplace(schedule, std::move(counted.moved));
  }
  std::vector<EventDraft> drafts;
  for (const auto& pick : picks) AppendEvent(drafts, {pick.reservation}, *pick.reservation.paid_at);
  std::move(sold_out_events.begin(), sold_out_events.end(), std::back_inserter(drafts));
  AddEvents(connection, drafts);
  for (auto& [member, sale, reservation, payment, now] : picks) {
    auto& each = decided.emplace_back();
    each.changes.sold_outs = std::move(sold_out.sold_outs);
    each.changes.moved.push_back(ShareOf(moved.at(reservation.schedule), reservation));
    each.changes.counted.push_back({reservation, false});
    each.changes.paid_concert = reservation.concert;
    each.changes.paid_at = *reservation.paid_at;
    each.value = context_.OutcomeOf(std::move(reservation), std::move(payment));
  }
  return true;
}

// CountOpened() has locked the rows of the schedule and of a sold-out concert. So all other payments are
// committed, and their latest time is final.
void PaymentWriter::FindSoldOuts(Connection& connection, Pick& last, bool concert_sold_out,
                                 MirrorChanges& changes, std::vector<EventDraft>& events) {
  auto& reservation = last.reservation;
  const auto schedule = reservation.schedule;
  const auto concert = reservation.concert;
  auto& paid_at = *reservation.paid_at;
  const auto latest =
      concert_sold_out ? LastPaidOfConcert(connection, concert) : LastPaidOfSchedule(connection, schedule);
  if (latest) paid_at = std::max(paid_at, *latest);
  reservation.schedule_sold_out = true;
  reservation.concert_sold_out = concert_sold_out;
  last.payment.settled_at = paid_at;
  UpdatePayment(connection, last.payment, last.payment.status);
  UpdateReservation(connection, reservation);
  changes.sold_outs.push_back({concert, schedule, paid_at, concert_sold_out});
  if (connection.Execute("UPDATE schedules SET sold_out_at = ? WHERE id = ? AND sold_out_at IS NULL", paid_at,
                         schedule)) {
    const auto started_at = StartOf(WindowOf(*last.sale.concert, *last.sale.schedule));
    ScheduleSoldOut fact{schedule, concert, {}, 0, started_at, paid_at};
    {
      auto row = connection.Query("SELECT concert_date, for_sale FROM schedules WHERE id = ?", schedule);
      row.Next();
      fact.concert_date = row.Day(0);
      fact.seats = row.Int(1);
    }
    AddFact(connection, fact, last.sale.concert->details.ranked);
    AppendEvent(events, fact);
  }
  connection.Execute("UPDATE concerts SET version = version + 1 WHERE id = ?", concert);
  if (!concert_sold_out) return;
  if (!connection.Execute("UPDATE concerts SET sold_out_at = ? WHERE id = ? AND sold_out_at IS NULL", paid_at,
                          concert)) {
    return;
  }
  auto dates = connection.Query(
      "SELECT COUNT(*), COALESCE(SUM(for_sale), 0) FROM schedules WHERE concert_id = ? AND status = 'ACTIVE' "
      "AND for_sale > 0",
      concert);
  dates.Next();
  const auto& details = last.sale.concert->details;
  const ConcertSoldOut fact{concert,      details.title, details.artist,           details.venue,
                            dates.Int(0), dates.Int(1),  *details.booking_open_at, paid_at};
  AddFact(connection, fact, details.ranked);
  AppendEvent(events, fact);
}

Outcome<Decided<PaymentOutcome>> PaymentWriter::DecideBegin(Connection& connection,
                                                            const Order& order) const {
  const auto& [ref, request, id, now] = order;
  auto reservation = ReadReservation(connection, ref.reservation, Lock::kForUpdate);
  if (!reservation || !ref.Covers(*reservation)) return NotFound(ref);
  const auto payable = CheckPayable(*reservation, request, IsCancelled(context_, *reservation), now);
  if (!payable) return payable.error();
  std::optional<Payment> payment;
  if (*payable == Payable::kNow) {
    payment = MakePayment(*reservation, request, {id}, now);
    reservation->status = ReservationStatus::kPaying;
    UpdateReservation(connection, *reservation);
    AddPayments(connection, {&*payment});
  } else {
    payment = ReadPaymentOf(connection, reservation->number);
  }
  return Decided<PaymentOutcome>{context_.OutcomeOf(std::move(*reservation), std::move(payment))};
}

Task<Outcome<PaymentOutcome>> PaymentWriter::Record(PaymentReport report, Time now) {
  return context_.Transit<PaymentOutcome>(
      [this, report = std::move(report), now](Connection& connection, const Attempt&) {
        return DecideReport(connection, report, now);
      });
}

// Reads both records under the lock of the reservation; the update of the payment is fenced by the status
// read here.
Outcome<Decided<PaymentOutcome>> PaymentWriter::DecideReport(Connection& connection,
                                                             const PaymentReport& report, Time now) const {
  const auto known = ReadPayment(connection, report.payment, Lock::kNone);
  if (!known) return Refused{Refusal::kNotFound, report.payment.ToString()};
  auto reservation = ReadReservation(connection, known->reservation_number, Lock::kForUpdate);
  auto payment = ReadPayment(connection, report.payment, Lock::kForUpdate);
  if (!reservation || !payment) return Refused{Refusal::kNotFound, report.payment.ToString()};
  const auto latest = ReadPaymentOf(connection, reservation->number);
  const bool newest = latest && latest->id == payment->id;
  const auto before = payment->status;
  Decided<PaymentOutcome> decided;
  if (report.change == PaymentChange::kCaptured && !IsStale(report, *payment)) {
    decided = Capture(connection, std::move(*reservation), std::move(*payment), newest, now);
  } else {
    if (report.change != PaymentChange::kCaptured) {
      const auto changed = ApplyReport(report, *reservation, *payment, newest, now);
      if (changed.payment) UpdatePayment(connection, *payment, before);
      if (changed.reservation) {
        UpdateReservation(connection, *reservation);
        std::vector<EventDraft> drafts;
        AppendEvent(drafts, {*reservation, false, true}, now);
        AddEvents(connection, drafts);
      }
    }
    decided.value = context_.OutcomeOf(std::move(*reservation), std::move(payment));
  }
  if (decided.value.payment->status != before) decided.value.changed_from = before;
  return decided;
}

Decided<PaymentOutcome> PaymentWriter::Capture(Connection& connection, Reservation reservation,
                                               Payment payment, bool newest, Time now) const {
  const auto result = ResultOfCapture(reservation, payment, newest, now);
  auto sale = context_.FindSale(connection, reservation.concert, reservation.schedule, now);
  if (sale && TakeSeats(connection, result, reservation, now)) {
    const auto from = result == CaptureResult::kHeldSeats ? SeatState::kHeld : SeatState::kAvailable;
    std::vector<Pick> picks{{nullptr, std::move(*sale), std::move(reservation), std::move(payment), now}};
    std::vector<Decided<PaymentOutcome>> decided;
    Settle(connection, picks, from, decided);
    return std::move(decided.front());
  }
  const auto before = payment.status;
  if (ApplyChange(payment, PaymentChange::kCapturedLate, now)) UpdatePayment(connection, payment, before);
  return {context_.OutcomeOf(std::move(reservation), std::move(payment))};
}

bool PaymentWriter::TakeSeats(Connection& connection, CaptureResult result, Reservation& reservation,
                              Time now) const {
  SeatMove move{reservation.schedule, reservation.seats,  SeatState::kHeld,
                SeatState::kAssigned, reservation.number, reservation.number};
  switch (result) {
    case CaptureResult::kRefund:
      return false;
    case CaptureResult::kHeldSeats:
      return MoveSeats(connection, move) == CountOf(reservation.seats);
    case CaptureResult::kAvailableSeats:
      break;
  }
  if (!context_.mirror.OnSale(reservation.schedule, now) || !LockAvailable(connection, reservation))
    return false;
  move.from = SeatState::kAvailable;
  move.owner_before.reset();
  if (MoveSeats(connection, move) != CountOf(reservation.seats))
    throw MysqlError(kDamaged, "locked seats changed");
  ++reservation.hold_ver;
  // AddProgress() uses held_at, so the seats count again for the day of the first hold.
  AddProgress(connection, {&reservation}, +1, now);
  return true;
}

Task<Outcome<PaymentOutcome>> PaymentWriter::Find(PaymentId id) const {
  return context_.pool.Read([this, id](Connection& connection) -> Outcome<PaymentOutcome> {
    auto payment = ReadPayment(connection, id, Lock::kNone);
    if (!payment) return Refused{Refusal::kNotFound, id.ToString()};
    auto reservation = ReadReservation(connection, payment->reservation_number, Lock::kNone);
    if (!reservation) return Refused{Refusal::kNotFound, id.ToString()};
    return context_.OutcomeOf(std::move(*reservation), std::move(payment));
  });
}

}  // namespace maejin::mysql
