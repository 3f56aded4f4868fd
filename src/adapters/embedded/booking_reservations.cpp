// Holds: taking, reading, extending, giving back.
#include "adapters/embedded/booking_sale.h"

namespace maejin::embedded {

Task<Outcome<Reservation>> EmbeddedBookingStore::Hold(HoldRequest request, Time now) {
  return WhenDurable(DecideHold(request, now));
}

EmbeddedBookingStore::Decided<Reservation> EmbeddedBookingStore::DecideHold(const HoldRequest& request,
                                                                            Time now) {
  if (!journal_.Accepting()) return {Refusal::kUnavailable};
  auto* entry = FindEntry(request.schedule);
  if (!entry) return {Refused{Refusal::kScheduleNotFound, std::to_string(request.schedule)}};
  const auto id = Id128::Random(random_);
  return Transit(*entry->sale, now, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Reservation> {
    const auto before = concert.reservations().size();
    // The number is taken under the lock, so that numbers of one concert grow with its decisions.
    const Concert::NewReservation made{id, next_reservation_.fetch_add(1)};
    const auto held = concert.Hold(request, made, now, buffers.changes);
    if (!held) return held.error();
    if (concert.reservations().size() > before) reservations_.Add(id, {entry->sale, *held});
    return concert.reservation(*held);
  });
}

template <class Change>
EmbeddedBookingStore::Decided<Reservation> EmbeddedBookingStore::ChangeReservation(const Claim& claim,
                                                                                   Time now,
                                                                                   Change&& change) {
  if (!journal_.Accepting()) return {Refusal::kUnavailable};
  const auto place = Find(claim);
  if (!place) return {place.error()};
  return Transit(*place->sale, now, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Reservation> {
    if (!claim.Covers(concert.reservation(place->index))) return Refusal::kReservationNotFound;
    const auto changed = change(concert, place->index, buffers.changes);
    if (!changed) return changed.error();
    return concert.reservation(place->index);
  });
}

Task<Outcome<PaymentOutcome>> EmbeddedBookingStore::FindReservation(Claim claim, Time now) {
  return WhenDurable(DecideFind(claim, now));
}

EmbeddedBookingStore::Decided<PaymentOutcome> EmbeddedBookingStore::DecideFind(const Claim& claim, Time now) {
  if (!journal_.Accepting()) return {Refusal::kUnavailable};
  const auto place = Find(claim);
  if (!place) return {place.error()};
  return Transit(*place->sale, now, [&](Concert& concert, TransitBuffers&) -> Outcome<PaymentOutcome> {
    if (!claim.Covers(concert.reservation(place->index))) return Refusal::kReservationNotFound;
    return OutcomeOf(*place->sale, place->index);
  });
}

Task<Outcome<Reservation>> EmbeddedBookingStore::ExtendHold(Claim claim, Time now) {
  return WhenDurable(ChangeReservation(
      claim, now, [now](Concert& concert, Concert::ReservationIndex index, BookingChanges& changes) {
        return concert.Extend(index, now, changes);
      }));
}

Task<Outcome<Reservation>> EmbeddedBookingStore::Cancel(Claim claim, Time now) {
  return WhenDurable(ChangeReservation(
      claim, now, [now](Concert& concert, Concert::ReservationIndex index, BookingChanges& changes) {
        return concert.Cancel(index, now, changes);
      }));
}

}  // namespace maejin::embedded
