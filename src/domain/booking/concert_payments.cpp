// Money: intents, assignment, refunds, and the moment the last seat is paid.
#include <algorithm>

#include "domain/booking/concert.h"

namespace maejin {
Outcome<Done> Concert::PayAtOnce(ReservationIndex index, const PaymentRequest& request,
                                 const NewPayment& made, Time now, BookingChanges& changes) {
  auto& reservation = reservations_[index];
  const bool paid = reservation.status == ReservationStatus::kConfirmed;
  if (!paid && (!reservation.Unpaid() || now >= reservation.expires_at)) return Refusal::kHoldExpired;
  if (request.amount != reservation.amount) return Refusal::kAmountMismatch;
  if (paid) return Done{};
  if (reservation.status == ReservationStatus::kPaying) return Refusal::kAlreadyPaying;
  const auto payment = AddPayment(index, request, made, now);
  Assign(index, payment, now, changes);
  changes.rows.push_back({&payments_[payment], true});
  return Done{};
}

Outcome<Concert::PaymentIndex> Concert::BeginPayment(ReservationIndex index, const PaymentRequest& request,
                                                     const NewPayment& made, Time now,
                                                     BookingChanges& changes) {
  auto& reservation = reservations_[index];
  const bool paid = reservation.status == ReservationStatus::kConfirmed;
  if (!paid && (!reservation.Unpaid() || now >= reservation.expires_at)) return Refusal::kHoldExpired;
  if (request.amount != reservation.amount) return Refusal::kAmountMismatch;
  if (paid) return kNone;
  if (reservation.status == ReservationStatus::kPaying) return reservation.payment;
  const auto payment = AddPayment(index, request, made, now);
  Track(payment);
  reservation.status = ReservationStatus::kPaying;
  changes.rows.push_back({&reservation});
  changes.rows.push_back({&payments_[payment], true});
  return payment;
}

Concert::PaymentIndex Concert::AddPayment(ReservationIndex index, const PaymentRequest& request,
                                          const NewPayment& made, Time now) {
  auto& reservation = reservations_[index];
  reservation.payment = static_cast<PaymentIndex>(payments_.size());
  reservation_of_payment_.push_back(index);
  auto& payment = payments_.emplace_back();
  payment.id = made.id;
  payment.number = made.number;
  payment.reservation = reservation.id;
  payment.reservation_number = reservation.number;
  payment.amount = request.amount;
  payment.provider = request.provider;
  payment.method = request.method;
  payment.created_at = now;
  payment.hold_ver = reservation.hold_ver;
  return reservation.payment;
}

void Concert::Assign(ReservationIndex index, PaymentIndex payment_index, Time now, BookingChanges& changes) {
  auto& payment = payments_[payment_index];
  auto& reservation = reservations_[index];
  auto& schedule = *Find(reservation.schedule);
  // Machines' clocks may differ, paidAt of one concert never goes back; nor before the opening.
  const auto paid_at = std::max({now, last_paid_at_, StartOf(schedule), *details_.booking_open_at});
  last_paid_at_ = paid_at;
  reservation.status = ReservationStatus::kConfirmed;
  reservation.paid_at = paid_at;
  reservation.ended_at.reset();
  ApplyChange(payment, PaymentChange::kCaptured, paid_at);
  Track(payment_index);
  Move(schedule, reservation.seats, SeatState::kAssigned, index);
  FindSoldOuts(schedule, reservation, changes);
  changes.rows.push_back({&reservation});
}

void Concert::FindSoldOuts(Schedule& schedule, Reservation& last, BookingChanges& changes) {
  if (!schedule.seats.counts().SoldOut()) return;
  last.schedule_sold_out = true;
  if (!schedule.sold_out_at) {
    schedule.sold_out_at = last.paid_at;
    changes.facts.push_back(ScheduleSoldOut{schedule.id, id_, schedule.date,
                                            schedule.seats.counts().ForSale(), StartOf(schedule),
                                            *last.paid_at});
  }
  if (!counts_.SoldOut()) return;
  last.concert_sold_out = true;
  if (sold_out_at_) return;
  sold_out_at_ = last.paid_at;
  const auto dates = std::count_if(schedules_.begin(), schedules_.end(), [](const Schedule& each) {
    return !each.cancelled && each.seats.counts().ForSale() > 0;
  });
  changes.facts.push_back(ConcertSoldOut{id_, details_.title, details_.artist, details_.venue, dates,
                                         counts_.ForSale(), *details_.booking_open_at, *last.paid_at});
}

void Concert::RecordPayment(PaymentIndex index, const PaymentReport& report, Time now,
                            BookingChanges& changes) {
  const auto& payment = payments_[index];
  if (IsStale(report, payment)) return;
  auto& reservation = reservations_[reservation_of_payment_[index]];
  const bool newest = reservation.payment == index;
  if (report.change == PaymentChange::kCaptured) return Captured(index, now, changes);
  if (report.change == PaymentChange::kAbandoned && IsAwaited(reservation, payment, newest, now)) return;
  if (!ChangePayment(index, report.change, now, changes)) return;
  if (report.change != PaymentChange::kDeclined || !newest) return;
  if (reservation.status != ReservationStatus::kPaying) return;
  reservation.status = ReservationStatus::kHeld;
  changes.rows.push_back({&reservation});
}

void Concert::Captured(PaymentIndex index, Time now, BookingChanges& changes) {
  auto& payment = payments_[index];
  const auto owner = reservation_of_payment_[index];
  auto& reservation = reservations_[owner];
  const bool newest = reservation.payment == index;
  const bool may_assign = NextStatus(payment.status, PaymentChange::kCaptured).has_value();
  if (may_assign && IsAwaited(reservation, payment, newest, now)) {
    Assign(owner, index, now, changes);
    changes.rows.push_back({&payment});
  } else if (may_assign && MayTakeAgain(reservation, newest) && AllAvailable(reservation, now)) {
    // The seats are counted again on the day of the first hold.
    ++reservation.hold_ver;
    Count(reservation, +1);
    if (HasLimits(details_))
      tallies_[reservation.user].by_date[reservation.schedule].unpaid.Remove(*reservation.ended_at);
    Progress(reservation, +1, changes);
    Assign(owner, index, now, changes);
    changes.rows.push_back({&payment});
  } else {
    ChangePayment(index, PaymentChange::kCapturedLate, now, changes);
  }
}

bool Concert::AllAvailable(const Reservation& reservation, Time now) const {
  const auto on_sale = OnSale(reservation.schedule, now);
  if (!on_sale) return false;
  return std::all_of(reservation.seats.begin(), reservation.seats.end(), [&](SeatNumber seat) {
    return (*on_sale)->seats.StateOf(seat) == SeatState::kAvailable;
  });
}

bool Concert::ChangePayment(PaymentIndex index, PaymentChange change, Time now, BookingChanges& changes) {
  auto& payment = payments_[index];
  const auto before = payment.status;
  if (!ApplyChange(payment, change, now)) return false;
  Track(index);
  changes.rows.push_back({&payment});
  if (before != payment.status && payment.status == PaymentStatus::kRefundDue) {
    changes.refunds_due.push_back(&payment);
  }
  return true;
}

void Concert::Track(PaymentIndex index) {
  if (payments_[index].provider == "instant") return;
  if (IsUnsettled(payments_[index])) {
    unsettled_.insert(index);
  } else {
    unsettled_.erase(index);
  }
}

}  // namespace maejin
