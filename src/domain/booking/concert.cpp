#include "domain/booking/concert.h"

#include <algorithm>

#include "domain/booking/concert_upkeep.h"

namespace maejin {

void BookingChanges::Clear() {
  rows.clear();
  facts.clear();
  refunds_due.clear();
}

Time Concert::NextDue() const {
  if (cancelling_ != SIZE_MAX) return Time{};
  return deadlines_.empty() ? Time::max() : deadlines_.top().at;
}

bool Concert::Restore(Reservation reservation) {
  auto* schedule = Find(reservation.schedule);
  if (!schedule) return false;
  const auto index = static_cast<ReservationIndex>(reservations_.size());
  if (reservation.Living()) {
    for (const auto seat : reservation.seats) {
      if (!schedule->seats.layout()->Has(seat) || schedule->seats.OwnerOf(seat) != SeatMap::kNoReservation)
        return false;
    }
    const bool paid = reservation.status == ReservationStatus::kConfirmed;
    Move(*schedule, reservation.seats, paid ? SeatState::kAssigned : SeatState::kHeld, index);
    tallies_.Count(reservation, +1);
  }
  tallies_.CountUnpaid(reservation);
  if (reservation.paid_at) last_paid_at_ = std::max(last_paid_at_, *reservation.paid_at);
  if (reservation.Unpaid()) deadlines_.push({reservation.expires_at, index});
  if (!reservation.idempotency_key.empty()) {
    by_key_[reservation.user + '\0' + reservation.idempotency_key] = index;
  }
  reservations_.push_back(std::move(reservation));
  return true;
}

void Concert::Restore(Payment payment, ReservationIndex reservation) {
  reservations_[reservation].payment = ledger_.Add(std::move(payment), reservation);
  ConcertUpkeep::SetRefundDue(*this, reservations_[reservation]);
}

}  // namespace maejin
