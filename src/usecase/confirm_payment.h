// Pays a reservation: the seats are assigned, and the customer's slot in the waiting room is free again.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/waiting_room_store.h"
#include "usecase/advance_payment.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ConfirmPayment {
 public:
  struct Parts {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    const Clock& clock;
    PaymentMetrics& metrics;
    // Where the money is taken; absent: maejin only records it, in one transition.
    AdvancePayment* advance = nullptr;
  };
  explicit ConfirmPayment(const Parts& parts) : parts_(parts) {}

  // CONFIRMED, or PAYING where the provider answers later. Refuses: kReservationNotFound, kHoldExpired,
  // kAmountMismatch, kAlreadyPaying (with another provider), kPaymentDeclined (the hold goes on),
  // kPaymentRefunded (the money came after the deadline, and the seats were gone).
  Task<Outcome<PaymentOutcome>> operator()(ReservationRef ref, PaymentRequest request);

 private:
  Task<Outcome<PaymentOutcome>> AtOnce(ReservationRef ref, PaymentRequest request, Time now);
  Task<Outcome<PaymentOutcome>> ThroughProvider(ReservationRef ref, PaymentRequest request, Time now);
  void CountStart(const PaymentOutcome& outcome, Time now);

  Parts parts_;
};

}  // namespace maejin
