// Money: intents, assignment, refunds, and the moment the last seat is paid.
#include <algorithm>

#include "domain/booking/concert.h"
#include "domain/booking/concert_upkeep.h"

namespace maejin {
namespace {

bool AllAvailable(const SeatMap& seats, const std::vector<SeatNumber>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](SeatNumber seat) { return seats.StateOf(seat) == SeatState::kAvailable; });
}

bool IsCancelled(const Concert& concert, const Reservation& reservation) {
  return concert.cancelled() || concert.FindSchedule(reservation.schedule)->cancelled;
}

}  // namespace

Outcome<Done> Concert::PayAtOnce(ReservationIndex index, const PaymentRequest& request,
                                 const NewPayment& made, Time now, BookingChanges& changes) {
  auto& reservation = reservations_[index];
  const auto payable = CheckPayable(reservation, request, IsCancelled(*this, reservation), now);
  if (!payable) return payable.error();
  if (*payable != Payable::kNow) return Done{};
  reservation.payment = ledger_.Add(MakePayment(reservation, request, made, now), index);
  Assign(reservation.payment, now, changes);
  changes.rows.push_back({&ledger_.at(reservation.payment), true});
  return Done{};
}

Outcome<Concert::PaymentIndex> Concert::BeginPayment(ReservationIndex index, const PaymentRequest& request,
                                                     const NewPayment& made, Time now,
                                                     BookingChanges& changes) {
  auto& reservation = reservations_[index];
  const auto payable = CheckPayable(reservation, request, IsCancelled(*this, reservation), now);
  if (!payable) return payable.error();
  if (*payable == Payable::kPaidBefore) return kNone;
  if (*payable == Payable::kUnderWay) return reservation.payment;
  reservation.payment = ledger_.Add(MakePayment(reservation, request, made, now), index);
  reservation.status = ReservationStatus::kPaying;
  changes.rows.push_back({&reservation});
  changes.rows.push_back({&ledger_.at(reservation.payment), true});
  return reservation.payment;
}

void Concert::Assign(PaymentIndex payment, Time now, BookingChanges& changes) {
  const auto index = ledger_.ReservationOf(payment);
  auto& reservation = reservations_[index];
  auto& schedule = *Find(reservation.schedule);
  last_paid_at_ = PaidAt(WindowOf(schedule), last_paid_at_, now);
  Confirm(reservation, ledger_.at(payment), last_paid_at_);
  Move(schedule, reservation.seats, SeatState::kAssigned, index);
  FindSoldOuts(schedule, reservation, changes);
  changes.rows.push_back({&reservation});
}

void Concert::FindSoldOuts(Schedule& schedule, Reservation& last, BookingChanges& changes) {
  if (!schedule.seats.counts().SoldOut()) return;
  last.schedule_sold_out = true;
  if (!schedule.sold_out_at) {
    schedule.sold_out_at = last.paid_at;
    changes.facts.push_back(ScheduleSoldOut{schedule.id, id(), schedule.date,
                                            schedule.seats.counts().ForSale(), StartOf(WindowOf(schedule)),
                                            *last.paid_at});
  }
  if (!counts().SoldOut()) return;
  last.concert_sold_out = true;
  if (sold_out_at_) return;
  sold_out_at_ = last.paid_at;
  const auto dates = std::count_if(schedules_.begin(), schedules_.end(), [](const Schedule& each) {
    return !each.cancelled && each.seats.counts().ForSale() > 0;
  });
  changes.facts.push_back(ConcertSoldOut{id(), details_.title, details_.artist, details_.venue, dates,
                                         counts().ForSale(), *details_.booking_open_at, *last.paid_at});
}

void Concert::RecordPayment(PaymentIndex index, const PaymentReport& report, Time now,
                            BookingChanges& changes) {
  auto& payment = ledger_.at(index);
  if (report.change == PaymentChange::kCaptured) {
    if (!IsStale(report, payment)) Capture(index, now, changes);
    return;
  }
  auto& reservation = reservations_[ledger_.ReservationOf(index)];
  const auto before = payment.status;
  const auto changed = ApplyReport(report, reservation, payment, reservation.payment == index, now);
  if (changed.payment) ledger_.Changed(index, before, changes);
  ConcertUpkeep::SetRefundDue(*this, reservation);
  if (changed.reservation) changes.rows.push_back({&reservation});
}

void Concert::Capture(PaymentIndex index, Time now, BookingChanges& changes) {
  const auto& payment = ledger_.at(index);
  auto& reservation = reservations_[ledger_.ReservationOf(index)];
  auto result = ResultOfCapture(reservation, payment, reservation.payment == index, now);
  if (result == CaptureResult::kAvailableSeats) {
    const auto on_sale = OnSale(reservation.schedule, now);
    if (!on_sale || !AllAvailable((*on_sale)->seats, reservation.seats)) result = CaptureResult::kRefund;
  }
  if (result == CaptureResult::kRefund) {
    ledger_.Apply(index, PaymentChange::kCapturedLate, now, changes);
    return ConcertUpkeep::SetRefundDue(*this, reservation);
  }
  if (result == CaptureResult::kAvailableSeats) {
    // The end of the hold had subtracted the seats from progress and tallies. They count again, on the day of
    // the hold.
    ++reservation.hold_ver;
    tallies_.Count(reservation, +1);
    tallies_.ForgetUnpaid(reservation);
    changes.facts.push_back(ProgressOf(reservation, FindSchedule(reservation.schedule)->date, +1));
  }
  const auto before = payment.status;
  Assign(index, now, changes);
  ledger_.Changed(index, before, changes);
}

}  // namespace maejin
