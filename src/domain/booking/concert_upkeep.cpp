#include "domain/booking/concert_upkeep.h"

namespace maejin {

void ConcertUpkeep::ExtendDeadlines(Concert& concert, Millis by, BookingChanges& changes) {
  for (Concert::ReservationIndex index = 0; index < concert.reservations_.size(); ++index) {
    auto& reservation = concert.reservations_[index];
    if (!reservation.Unpaid()) continue;
    reservation.expires_at += by;
    concert.deadlines_.push({reservation.expires_at, index});
    changes.rows.push_back({&reservation});
  }
}

void ConcertUpkeep::Rename(Concert& concert, Concert::ReservationIndex index, const UserId& pseudonym) {
  auto& reservation = concert.reservations_[index];
  if (!reservation.idempotency_key.empty())
    concert.by_key_.erase(reservation.user + '\0' + reservation.idempotency_key);
  reservation.user = pseudonym;
  reservation.idempotency_key.clear();
}

void ConcertUpkeep::RenameCounts(Concert& concert, const UserId& user, const UserId& pseudonym) {
  concert.tallies_.Rename(user, pseudonym);
}

void ConcertUpkeep::SetRefundDue(const Concert& concert, Reservation& reservation) {
  reservation.refund_due = reservation.payment != Concert::kNone &&
                           concert.ledger_.at(reservation.payment).status == PaymentStatus::kRefundDue;
}

}  // namespace maejin
