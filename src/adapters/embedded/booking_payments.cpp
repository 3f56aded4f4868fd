// Payments: intent, assignment, refund.
#include "adapters/embedded/booking_store.h"

namespace maejin::embedded {
namespace {

Decided<PaymentOutcome> DecidePayment(SaleRegistry& sales, SaleJournal& journal, Random& random,
                                      const ReservationRef& ref, const PaymentRequest& request, bool at_once,
                                      Time now) {
  if (!journal.Accepting()) return {Refusal::kUnavailable};
  const auto location = FindReservationOf(sales, ref);
  if (!location) return {location.error()};
  const auto id = Id128::Random(random);
  return journal.Transit(
      *location->sale, now, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<PaymentOutcome> {
        if (!ref.Covers(concert.reservation(location->index))) return Refusal::kReservationNotFound;
        const auto before = concert.payments().size();
        const NewPayment made{id, sales.next_payment.fetch_add(1)};
        if (at_once) {
          const auto paid = concert.PayAtOnce(location->index, request, made, now, buffers.changes);
          if (!paid) return paid.error();
        } else {
          const auto begun = concert.BeginPayment(location->index, request, made, now, buffers.changes);
          if (!begun) return begun.error();
          if (concert.payments().size() > before) sales.payments.Add(id, {location->sale, *begun});
        }
        return OutcomeOf(*location->sale, location->index);
      });
}

// Applies the report to the payment. Without a report it only reads the payment.
Decided<PaymentOutcome> DecideReport(SaleRegistry& sales, SaleJournal& journal, PaymentId id,
                                     const PaymentReport* report, Time now) {
  if (!journal.Accepting()) return {Refusal::kUnavailable};
  const auto location = sales.payments.Find(id);
  if (!location) return {Refused{Refusal::kNotFound, id.ToString()}};
  return journal.Transit(*location->sale, now,
                         [&](Concert& concert, TransitBuffers& buffers) -> Outcome<PaymentOutcome> {
                           const auto before = concert.payment(location->index).status;
                           if (report != nullptr)
                             concert.RecordPayment(location->index, *report, now, buffers.changes);
                           auto outcome = OutcomeOf(*location->sale, concert.ReservationOf(location->index));
                           outcome.payment = concert.payment(location->index);
                           if (outcome.payment->status != before) outcome.changed_from = before;
                           return outcome;
                         });
}

}  // namespace

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::PayAtOnce(ReservationRef ref, PaymentRequest request,
                                                              Time now) {
  return journal_.WhenDurable(DecidePayment(sales_, journal_, random_, ref, request, true, now));
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::BeginPayment(ReservationRef ref, PaymentRequest request,
                                                                 Time now) {
  return journal_.WhenDurable(DecidePayment(sales_, journal_, random_, ref, request, false, now));
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::FindPayment(PaymentId payment, Time now) {
  return journal_.WhenDurable(DecideReport(sales_, journal_, payment, nullptr, now));
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::RecordPayment(PaymentReport report, Time now) {
  return journal_.WhenDurable(DecideReport(sales_, journal_, report.payment, &report, now));
}

}  // namespace maejin::embedded
