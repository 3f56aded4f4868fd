// Holds: create, read, extend, cancel.
#include "adapters/embedded/booking_store.h"

namespace maejin::embedded {
namespace {

Decided<Reservation> DecideHold(SaleRegistry& sales, SaleJournal& journal, Random& random,
                                const HoldRequest& request, Time now) {
  if (!journal.Accepting()) return {Refusal::kUnavailable};
  auto* entry = sales.FindEntry(request.schedule);
  if (!entry) return {Refused{Refusal::kScheduleNotFound, std::to_string(request.schedule)}};
  const auto id = Id128::Random(random);
  return journal.Transit(*entry->sale, now,
                         [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Reservation> {
                           const auto before = concert.reservations().size();
                           // The number is taken under the lock, so that numbers of one concert increase in
                           // the order of its decisions.
                           const NewReservation made{id, sales.next_reservation.fetch_add(1)};
                           const auto held = concert.Hold(request, made, now, buffers.changes);
                           if (!held) return held.error();
                           const auto& reservation = concert.reservation(*held);
                           if (concert.reservations().size() > before)
                             sales.RegisterReservation(reservation, {entry->sale, *held});
                           return reservation;
                         });
}

template <class Change>
Decided<Reservation> ChangeReservation(SaleRegistry& sales, SaleJournal& journal, const ReservationRef& ref,
                                       Time now, Change&& change) {
  if (!journal.Accepting()) return {Refusal::kUnavailable};
  const auto location = FindReservationOf(sales, ref);
  if (!location) return {location.error()};
  return journal.Transit(*location->sale, now,
                         [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Reservation> {
                           if (!ref.Covers(concert.reservation(location->index)))
                             return Refusal::kReservationNotFound;
                           const auto changed = change(concert, location->index, buffers.changes);
                           if (!changed) return changed.error();
                           return concert.reservation(location->index);
                         });
}

Decided<PaymentOutcome> DecideFind(SaleRegistry& sales, SaleJournal& journal, const ReservationRef& ref,
                                   Time now) {
  if (!journal.Accepting()) return {Refusal::kUnavailable};
  const auto location = FindReservationOf(sales, ref);
  if (!location) return {location.error()};
  return journal.Transit(*location->sale, now,
                         [&](Concert& concert, TransitBuffers&) -> Outcome<PaymentOutcome> {
                           if (!ref.Covers(concert.reservation(location->index)))
                             return Refusal::kReservationNotFound;
                           return OutcomeOf(*location->sale, location->index);
                         });
}

}  // namespace

Task<Outcome<Reservation>> EmbeddedBookingStore::Hold(HoldRequest request, Time now) {
  return journal_.WhenDurable(DecideHold(sales_, journal_, random_, request, now));
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::FindReservation(ReservationRef ref, Time now) {
  return journal_.WhenDurable(DecideFind(sales_, journal_, ref, now));
}

Task<Outcome<Reservation>> EmbeddedBookingStore::ExtendHold(ReservationRef ref, Time now) {
  return journal_.WhenDurable(
      ChangeReservation(sales_, journal_, ref, now,
                        [now](Concert& concert, Concert::ReservationIndex index, BookingChanges& changes) {
                          return concert.Extend(index, now, changes);
                        }));
}

Task<Outcome<Reservation>> EmbeddedBookingStore::Cancel(ReservationRef ref, Time now) {
  return journal_.WhenDurable(
      ChangeReservation(sales_, journal_, ref, now,
                        [now](Concert& concert, Concert::ReservationIndex index, BookingChanges& changes) {
                          return concert.Cancel(index, EndReason::kCustomer, now, changes);
                        }));
}

}  // namespace maejin::embedded
