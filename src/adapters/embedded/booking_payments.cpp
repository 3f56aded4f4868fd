// Payments: intent, assignment, refund.
#include "adapters/embedded/booking_sale.h"

namespace maejin::embedded {

PaymentOutcome EmbeddedBookingStore::OutcomeOf(const Sale& sale, Concert::ReservationIndex index) const {
  const auto& reservation = sale.concert.reservation(index);
  PaymentOutcome outcome{reservation, {}, sale.concert.details().room};
  if (reservation.payment != Concert::kNone) outcome.payment = sale.concert.payment(reservation.payment);
  return outcome;
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::PayAtOnce(Claim claim, PaymentRequest request, Time now) {
  return WhenDurable(DecidePayment(claim, request, true, now));
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::BeginPayment(Claim claim, PaymentRequest request,
                                                                 Time now) {
  return WhenDurable(DecidePayment(claim, request, false, now));
}

EmbeddedBookingStore::Decided<PaymentOutcome> EmbeddedBookingStore::DecidePayment(
    const Claim& claim, const PaymentRequest& request, bool at_once, Time now) {
  if (!journal_.Accepting()) return {Refusal::kUnavailable};
  const auto place = Find(claim);
  if (!place) return {place.error()};
  const auto id = Id128::Random(random_);
  return Transit(
      *place->sale, now, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<PaymentOutcome> {
        if (!claim.Covers(concert.reservation(place->index))) return Refusal::kReservationNotFound;
        const auto before = concert.payments().size();
        const Concert::NewPayment made{id, next_payment_.fetch_add(1)};
        if (at_once) {
          const auto paid = concert.PayAtOnce(place->index, request, made, now, buffers.changes);
          if (!paid) return paid.error();
        } else {
          const auto begun = concert.BeginPayment(place->index, request, made, now, buffers.changes);
          if (!begun) return begun.error();
          if (concert.payments().size() > before) payments_.Add(id, {place->sale, *begun});
        }
        return OutcomeOf(*place->sale, place->index);
      });
}

// Without a report: reads the payment.
EmbeddedBookingStore::Decided<PaymentOutcome> EmbeddedBookingStore::DecideReport(PaymentId id,
                                                                                 const PaymentReport* report,
                                                                                 Time now) {
  if (!journal_.Accepting()) return {Refusal::kUnavailable};
  const auto place = payments_.Find(id);
  if (!place) return {Refused{Refusal::kNotFound, id.ToString()}};
  return Transit(*place->sale, now,
                 [&](Concert& concert, TransitBuffers& buffers) -> Outcome<PaymentOutcome> {
                   const auto before = concert.payment(place->index).status;
                   if (report != nullptr) concert.RecordPayment(place->index, *report, now, buffers.changes);
                   auto outcome = OutcomeOf(*place->sale, concert.ReservationOf(place->index));
                   outcome.payment = concert.payment(place->index);
                   if (outcome.payment->status != before) outcome.changed_from = before;
                   return outcome;
                 });
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::FindPayment(PaymentId payment, Time now) {
  return WhenDurable(DecideReport(payment, nullptr, now));
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::RecordPayment(PaymentReport report, Time now) {
  return WhenDurable(DecideReport(report.payment, &report, now));
}

Task<Outcome<std::vector<Payment>>> EmbeddedBookingStore::UnsettledPayments(Time before,
                                                                            std::size_t limit) const {
  std::vector<Payment> unsettled;
  for (const auto* sale : AllSales()) {
    const std::lock_guard lock(sale->mutex);
    for (const auto index : sale->concert.unsettled()) {
      const auto& payment = sale->concert.payment(index);
      if (payment.created_at < before && unsettled.size() < limit) unsettled.push_back(payment);
    }
  }
  co_return unsettled;
}

}  // namespace maejin::embedded
