// Applies an event that the operator's payment service reports about a payment.
#pragma once

#include "usecase/advance_payment.h"

namespace maejin {

struct PaymentEvent {
  PaymentId payment;
  // kCaptured, kDeclined or kReturned.
  MoneyState reported = MoneyState::kCaptured;
  Money amount = 0;
};

// Thread-safe. The references outlive it.
class AcceptPaymentEvent {
 public:
  AcceptPaymentEvent(BookingStore& bookings, AdvancePayment& advance, const Clock& clock)
      : bookings_(bookings), advance_(advance), clock_(clock) {}

  // Returns the payment after the event. An event that contradicts a settled payment changes nothing.
  // Refuses: kPaymentNotFound (also for another provider's payment), kAmountMismatch, kUnavailable.
  Task<Outcome<PaymentOutcome>> operator()(PaymentEvent event);

 private:
  BookingStore& bookings_;
  AdvancePayment& advance_;
  const Clock& clock_;
};

}  // namespace maejin
