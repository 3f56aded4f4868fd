#include "usecase/accept_payment_event.h"

namespace maejin {

Task<Outcome<PaymentOutcome>> AcceptPaymentEvent::operator()(PaymentEvent event) {
  auto found = co_await bookings_.FindPayment(event.payment, clock_.Now());
  if (!found && found.error() == Refusal::kNotFound) co_return Refusal::kPaymentNotFound;
  if (!found) co_return found;
  const auto& payment = *found->payment;
  if (payment.provider != advance_.provider()) co_return Refusal::kPaymentNotFound;
  if (payment.amount != event.amount) co_return Refusal::kAmountMismatch;
  // A decline applies only while no money was taken: a refund that is due ends with the refund.
  if (event.reported == MoneyState::kDeclined && payment.status != PaymentStatus::kPending) co_return found;
  if (event.reported == MoneyState::kReturned && payment.status != PaymentStatus::kRefundDue) co_return found;
  const auto before = payment.status;
  co_return co_await advance_.Record(event.payment, before, event.reported);
}

}  // namespace maejin
