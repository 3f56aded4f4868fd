#include "usecase/accept_payment_event.h"

namespace maejin {

Task<Outcome<PaymentOutcome>> AcceptPaymentEvent::operator()(PaymentEvent event) {
  auto found = co_await bookings_.FindPayment(event.payment, clock_.Now());
  if (!found && found.error() == Refusal::kNotFound) co_return Refusal::kPaymentNotFound;
  if (!found) co_return found;
  const auto& payment = *found->payment;
  if (payment.provider != advance_.provider()) co_return Refusal::kPaymentNotFound;
  if (payment.amount != event.amount) co_return Refusal::kAmountMismatch;
  PaymentReport report{event.payment, event.change};
  co_return co_await advance_.Record(std::move(report));
}

}  // namespace maejin
