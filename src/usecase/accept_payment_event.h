// Takes the word of the operator's payment service about a payment.
#pragma once

#include "usecase/advance_payment.h"

namespace maejin {

struct PaymentEvent {
  PaymentId payment;
  // kCaptured, kDeclined or kReturned.
  MoneyState said = MoneyState::kCaptured;
  Money amount = 0;
};

// Thread-safe. The references outlive it.
class AcceptPaymentEvent {
 public:
  AcceptPaymentEvent(BookingStore& bookings, AdvancePayment& advance, const Clock& clock)
      : bookings_(bookings), advance_(advance), clock_(clock) {}

  // The payment as it stands then: what contradicts something that is settled changes nothing.
  // Refuses: kPaymentNotFound (none of this provider's), kAmountMismatch, kUnavailable.
  Task<Outcome<PaymentOutcome>> operator()(PaymentEvent event);

 private:
  BookingStore& bookings_;
  AdvancePayment& advance_;
  const Clock& clock_;
};

}  // namespace maejin
