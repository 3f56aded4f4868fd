// Brings a payment on: asks its provider, and makes what it said true in the store. The customer's own
// request, the worker that settles what was left behind, and the provider's callback all come through here.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/payment_provider.h"
#include "store/waiting_room_store.h"
#include "usecase/payment_metrics.h"

namespace maejin {

// Gives the slot in the waiting room of whoever paid back; only where there is a room. The payment stands
// whether or not the room could be told: an untold slot ends with its own deadline.
Task<Outcome<Done>> ReleaseSlot(WaitingRoomStore& rooms, const PaymentOutcome& paid, Time now);

// Thread-safe. The references outlive it.
class AdvancePayment {
 public:
  struct Parts {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    PaymentProvider& provider;
    const Clock& clock;
    PaymentMetrics& metrics;
  };
  explicit AdvancePayment(const Parts& parts) : parts_(parts) {}

  std::string_view provider() const { return parts_.provider.name(); }

  // Takes the money of an intent that is durable. An answer that does not come leaves it PENDING: not a
  // refusal. Refuses: kUnavailable (the store).
  Task<Outcome<PaymentOutcome>> Charge(PaymentOutcome begun);

  // The next step of a payment that nobody is at, as far as it goes at once: PENDING is asked for and, where
  // the provider never heard of it, charged while its hold stands and abandoned afterwards; REFUND_DUE is
  // given back. Refuses: kNotFound, kUnavailable (the store, or the provider gave no answer).
  Task<Outcome<PaymentOutcome>> Settle(PaymentId id);

  // Applies a report about a payment, counts it, and releases the slot of a customer who has paid. What the
  // transition table refuses changes nothing. Refuses: kNotFound, kUnavailable.
  Task<Outcome<PaymentOutcome>> Record(PaymentReport report);

 private:
  // The provider's answer to a charge, or to the question what became of one.
  Task<Outcome<PaymentOutcome>> RecordAnswer(PaymentId id, MoneyState said);
  Task<Outcome<PaymentOutcome>> SettlePending(PaymentOutcome found);
  Task<Outcome<PaymentOutcome>> GiveBack(PaymentOutcome found);

  Parts parts_;
};

}  // namespace maejin
