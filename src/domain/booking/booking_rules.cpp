#include "domain/booking/booking_rules.h"

#include <algorithm>

#include "base/check.h"

namespace maejin {
namespace {

Refused SoldOut(const SeatCounts& counts) {
  Refused refused{Refusal::kSoldOut};
  refused.may_return = counts.held > 0;
  return refused;
}

// Whether `payment` can still pay the hold: the hold has not ended, and `payment` is its newest payment.
bool IsAwaited(const Reservation& reservation, const Payment& payment, bool newest, Time now) {
  return newest && reservation.Unpaid() && reservation.hold_ver == payment.hold_ver &&
         now < reservation.expires_at;
}

}  // namespace

Time StartOf(const SaleWindow& window) {
  if (window.date_opens_at) return *window.date_opens_at;
  return std::max(*window.concert_opens_at, window.date_created_at);
}

Outcome<Done> CheckOnSale(const SaleWindow& window, Time now) {
  if (window.cancelled) return Refusal::kConcertCancelled;
  if (window.closed) return Refusal::kConcertClosed;
  if (!window.concert_opens_at || now < StartOf(window) || now < *window.concert_opens_at)
    return Refusal::kNotOpen;
  if (now >= window.sales_end_at) return Refusal::kSalesEnded;
  return Done{};
}

Outcome<ConcertDetails> Changed(ConcertDetails details, const ConcertPatch& patch, std::int64_t life,
                                const SaleWindow& window, Time now) {
  if (patch.booking_open_at) {
    if (window.cancelled) return Refusal::kConcertCancelled;
    if (window.closed) return Refusal::kConcertClosed;
    if (details.booking_open_at && *details.booking_open_at <= now) return Refusal::kAlreadyOpen;
  }
  const auto take = [](auto& field, const auto& change) {
    if (change) field = *change;
  };
  take(details.title, patch.title);
  take(details.artist, patch.artist);
  take(details.venue, patch.venue);
  take(details.booking_open_at, patch.booking_open_at);
  take(details.hold, patch.hold);
  take(details.max_seats_per_user, patch.max_seats_per_user);
  take(details.max_seats_per_date, patch.max_seats_per_date);
  take(details.cooldown, patch.cooldown);
  take(details.listed, patch.listed);
  take(details.ranked, patch.ranked);
  take(details.color, patch.color);
  take(details.organizer, patch.organizer);
  if (patch.order) details.pre_queue.order = {*patch.order, life};
  if (patch.pre_queue_at) details.pre_queue.at = {*patch.pre_queue_at, life};
  return details;
}

Outcome<std::vector<SeatNumber>> ChooseSeats(const SeatMap& seats, const HoldRequest& request) {
  const auto& layout = *seats.layout();
  if (request.best && request.best->section && !layout.HasSection(*request.best->section))
    return Refused{Refusal::kInvalidField, "section: this date has none of that name"};
  if (seats.counts().available == 0) return SoldOut(seats.counts());
  auto wanted = request.best ? seats.FindBest(*request.best) : request.seats;
  if (wanted.empty()) return SoldOut(seats.counts());
  std::sort(wanted.begin(), wanted.end());
  for (const auto seat : wanted) {
    if (!layout.Has(seat)) return Refused{Refusal::kSeatNotFound, std::to_string(seat)};
  }
  for (const auto state : {SeatState::kAssigned, SeatState::kBlocked, SeatState::kHeld}) {
    for (const auto seat : wanted) {
      if (seats.StateOf(seat) != state) continue;
      return Refused{state == SeatState::kHeld ? Refusal::kSeatHeld : Refusal::kSeatTaken,
                     std::to_string(seat)};
    }
  }
  return wanted;
}

bool IsAnswerTo(const HoldRequest& request, const Reservation& before) {
  if (before.schedule != request.schedule) return false;
  // The seats that were best at that time are unknown now, so only their number is compared.
  if (request.best) return before.seats.size() == static_cast<std::size_t>(request.best->count);
  return std::is_permutation(before.seats.begin(), before.seats.end(), request.seats.begin(),
                             request.seats.end());
}

Reservation MakeReservation(const HoldRequest& request, const NewReservation& made, ConcertId concert,
                            const ConcertDetails& details, const SeatLayout& layout,
                            std::vector<SeatNumber> seats, Time now) {
  Reservation reservation;
  reservation.id = made.id;
  reservation.number = made.number;
  reservation.concert = concert;
  reservation.schedule = request.schedule;
  reservation.user = request.user;
  reservation.seats = std::move(seats);
  for (const auto seat : reservation.seats) reservation.amount += layout.PriceOf(seat);
  reservation.held_at = now;
  reservation.expires_at = now + details.hold;
  reservation.idempotency_key = request.idempotency_key;
  return reservation;
}

Outcome<Done> ExtendDeadline(Reservation& reservation, Seconds by, Time now) {
  if (!reservation.Unpaid() || now >= reservation.expires_at) return Refusal::kHoldExpired;
  if (reservation.extended) return Refusal::kAlreadyExtended;
  reservation.extended = true;
  reservation.expires_at += by;
  return Done{};
}

Outcome<std::optional<ReservationStatus>> StatusAfterCancel(const Reservation& reservation) {
  using Status = std::optional<ReservationStatus>;
  switch (reservation.status) {
    case ReservationStatus::kHeld:
    case ReservationStatus::kPaying:
      return Status(ReservationStatus::kCancelled);
    case ReservationStatus::kConfirmed:
      return Status(ReservationStatus::kRefunded);
    case ReservationStatus::kExpired:
      return Refusal::kHoldExpired;
    case ReservationStatus::kCancelled:
    case ReservationStatus::kRefunded:
      break;
  }
  return Status();
}

Outcome<Payable> CheckPayable(const Reservation& reservation, const PaymentRequest& request, bool cancelled,
                              Time now) {
  const bool paid = reservation.status == ReservationStatus::kConfirmed;
  if (!paid && (cancelled || reservation.end_reason == EndReason::kCancelled))
    return Refusal::kConcertCancelled;
  if (!paid && (!reservation.Unpaid() || now >= reservation.expires_at)) return Refusal::kHoldExpired;
  if (request.amount != reservation.amount) return Refusal::kAmountMismatch;
  if (paid) return Payable::kPaidBefore;
  if (reservation.status != ReservationStatus::kPaying) return Payable::kNow;
  if (IsRecordedOnly(request.provider)) return Refusal::kAlreadyPaying;
  return Payable::kUnderWay;
}

Payment MakePayment(const Reservation& reservation, const PaymentRequest& request, const NewPayment& made,
                    Time now) {
  Payment payment;
  payment.id = made.id;
  payment.number = made.number;
  payment.reservation = reservation.id;
  payment.reservation_number = reservation.number;
  payment.amount = request.amount;
  payment.provider = request.provider;
  payment.method = request.method;
  payment.created_at = now;
  payment.hold_ver = reservation.hold_ver;
  return payment;
}

Time PaidAt(const SaleWindow& window, Time last_paid_at, Time now) {
  return std::max({now, last_paid_at, StartOf(window), *window.concert_opens_at});
}

void Confirm(Reservation& reservation, Payment& payment, Time paid_at) {
  MAEJIN_CHECK(payment.amount == reservation.amount, "a payment has the amount of its reservation");
  MAEJIN_CHECK(ApplyChange(payment, PaymentChange::kCaptured, paid_at),
               "seats are assigned only for money that may be captured");
  reservation.status = ReservationStatus::kConfirmed;
  reservation.paid_at = paid_at;
  reservation.ended_at.reset();
  reservation.end_reason = EndReason::kNone;
}

bool IsStale(const PaymentReport& report, const Payment& current) {
  if (!report.seen) return false;
  return report.seen->status != current.status || report.seen->settled_at != current.settled_at;
}

CaptureResult ResultOfCapture(const Reservation& reservation, const Payment& payment, bool newest, Time now) {
  if (!NextStatus(payment.status, PaymentChange::kCaptured)) return CaptureResult::kRefund;
  if (IsAwaited(reservation, payment, newest, now)) return CaptureResult::kHeldSeats;
  const bool expired = reservation.status == ReservationStatus::kExpired;
  return newest && expired ? CaptureResult::kAvailableSeats : CaptureResult::kRefund;
}

ReportChanges ApplyReport(const PaymentReport& report, Reservation& reservation, Payment& payment,
                          bool newest, Time now) {
  if (IsStale(report, payment)) return {};
  // A payment of a valid hold may still be charged, so it is not abandoned.
  if (report.change == PaymentChange::kAbandoned && IsAwaited(reservation, payment, newest, now)) return {};
  if (!ApplyChange(payment, report.change, now)) return {};
  const bool back_to_held =
      report.change == PaymentChange::kDeclined && newest && reservation.status == ReservationStatus::kPaying;
  if (back_to_held) reservation.status = ReservationStatus::kHeld;
  return {true, back_to_held};
}

}  // namespace maejin
