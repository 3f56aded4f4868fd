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
  Task<Outcome<PaymentOutcome>> Read(Claim claim) {
    return bookings_.FindReservation(std::move(claim), clock_.Now());
  }
  // Refuses: kReservationNotFound, kHoldExpired, kAlreadyExtended.
  Task<Outcome<Reservation>> Extend(Claim claim) {
    return bookings_.ExtendHold(std::move(claim), clock_.Now());
  }
  // Cancels; a paid reservation is refunded. Idempotent. Refuses: kReservationNotFound, kHoldExpired.
  Task<Outcome<Reservation>> Cancel(Claim claim) { return bookings_.Cancel(std::move(claim), clock_.Now()); }

 private:
  BookingStore& bookings_;
  const Clock& clock_;
};

}  // namespace maejin
