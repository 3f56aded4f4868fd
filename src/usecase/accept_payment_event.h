// Applies an event of the operator's payment service to a payment.
#pragma once

#include "usecase/advance_payment.h"

namespace maejin {

struct PaymentEvent {
  PaymentId payment;
  // kCaptured, kDeclined or kRefunded.
  PaymentChange change = PaymentChange::kCaptured;
  Money amount = 0;
};

// Thread-safe. The references outlive it.
class AcceptPaymentEvent {
 public:
  AcceptPaymentEvent(BookingStore& bookings, AdvancePayment& advance, const Clock& clock)
      : bookings_(bookings), advance_(advance), clock_(clock) {}

  // The payment after the event. An event that the transition table (domain/booking/payment.h) refuses
  // changes nothing. Refuses: kPaymentNotFound (this provider has none), kAmountMismatch, kUnavailable.
  Task<Outcome<PaymentOutcome>> operator()(PaymentEvent event);

 private:
  BookingStore& bookings_;
  AdvancePayment& advance_;
  const Clock& clock_;
};

}  // namespace maejin
