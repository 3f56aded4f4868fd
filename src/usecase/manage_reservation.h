// What its owner can do with a reservation: read, extend once, cancel.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ManageReservation {
 public:
  ManageReservation(BookingStore& bookings, const Clock& clock) : bookings_(bookings), clock_(clock) {}

  // Refuses: kReservationNotFound, also for another user's reservation.
  Task<Outcome<PaymentOutcome>> Read(ReservationRef ref) {
    return bookings_.FindReservation(std::move(ref), clock_.Now());
  }
  // Refuses: kReservationNotFound, kHoldExpired, kAlreadyExtended.
  Task<Outcome<Reservation>> Extend(ReservationRef ref) {
    return bookings_.ExtendHold(std::move(ref), clock_.Now());
  }
  // Cancels; a paid reservation is refunded. Idempotent. Refuses: kReservationNotFound, kHoldExpired.
  Task<Outcome<Reservation>> Cancel(ReservationRef ref) {
    return bookings_.Cancel(std::move(ref), clock_.Now());
  }

 private:
  BookingStore& bookings_;
  const Clock& clock_;
};

}  // namespace maejin
