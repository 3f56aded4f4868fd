// Moves a payment to its next state: asks its provider and records the answer in the store. Used by the
// customer's request, by the settle worker and by the provider's callback.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/payment_provider.h"
#include "store/waiting_room_store.h"
#include "usecase/count_refusals.h"
#include "usecase/payment_metrics.h"

namespace maejin {

// Releases the customer's slot in the waiting room. Precondition: paid.room is not kNone. A failure does not
// affect the payment: the slot then ends at its deadline.
Task<Outcome<Done>> ReleaseSlot(WaitingRoomStore& rooms, const PaymentOutcome& paid, Time now);

// Thread-safe. The references outlive it.
class AdvancePayment {
 public:
  struct Dependencies {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    PaymentProvider& provider;
    const Clock& clock;
    PaymentMetrics& metrics;
    CountRefusals* refusals = nullptr;  // null: declined payments are not counted by concert
  };
  explicit AdvancePayment(const Dependencies& deps) : deps_(deps) {}

  std::string_view provider() const { return deps_.provider.name(); }
  // Settle() can do something for a payment in this state: REFUND_DUE, or PENDING at a provider that can be
  // asked.
  bool CanSettle(PaymentStatus status) const {
    return status == PaymentStatus::kRefundDue || deps_.provider.can_be_asked();
  }

  // Charges a payment whose intent is durable. Without an answer of the provider the payment stays PENDING,
  // which is not a refusal. Refuses: kUnavailable (the store).
  Task<Outcome<PaymentOutcome>> Charge(PaymentOutcome begun, RequestTrace trace);

  // Takes the next step of a payment whose request has ended. PENDING: asks the provider for the state. If
  // the provider does not know the payment, charges it while the hold is valid, otherwise abandons it.
  // REFUND_DUE: asks the provider for the refund. Refuses: kNotFound, kUnavailable (the store or the provider
  // gave no answer).
  Task<Outcome<PaymentOutcome>> Settle(PaymentId id);

  // Applies a report about a payment, counts it, and releases the slot of a customer that has paid. A report
  // that the transition table refuses changes nothing. Refuses: kNotFound, kUnavailable.
  Task<Outcome<PaymentOutcome>> Record(PaymentReport report);

 private:
  // Records the provider's answer to Charge() or Ask().
  Task<Outcome<PaymentOutcome>> RecordAnswer(PaymentId id, MoneyState said);
  Task<Outcome<PaymentOutcome>> SettlePending(PaymentOutcome found);
  Task<Outcome<PaymentOutcome>> RequestRefund(PaymentOutcome found);

  Dependencies deps_;
};

}  // namespace maejin
