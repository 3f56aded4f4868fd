// Pays a reservation: the seats are assigned, and the customer's slot in the waiting room is free again.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/waiting_room_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ConfirmPayment {
 public:
  ConfirmPayment(BookingStore& bookings, WaitingRoomStore& rooms, const Clock& clock)
      : bookings_(bookings), rooms_(rooms), clock_(clock) {}

  // CONFIRMED, or PAYING where the provider answers later. Refuses: kReservationNotFound, kHoldExpired,
  // kAmountMismatch, kAlreadyPaying.
  Task<Outcome<PaymentOutcome>> operator()(Claim claim, PaymentRequest request);

 private:
  BookingStore& bookings_;
  WaitingRoomStore& rooms_;
  const Clock& clock_;
};

}  // namespace maejin
