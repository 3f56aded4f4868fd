#include "store/booking_counters.h"

#include <utility>

namespace maejin {

BookingCounters::BookingCounters(Metrics& metrics)
    : holds_(metrics.AddCounter("maejin_booking_holds_total", "Holds created.")),
      expired_(metrics.AddCounter("maejin_booking_holds_expired_total", "Holds whose deadline passed.")),
      cancelled_(
          metrics.AddCounter("maejin_booking_holds_cancelled_total", "Holds cancelled before payment.")),
      paid_(metrics.AddCounter("maejin_booking_reservations_paid_total", "Reservations paid.")),
      refunded_(metrics.AddCounter("maejin_booking_reservations_refunded_total",
                                   "Reservations refunded after payment.")) {}

void BookingCounters::Count(const BookingChanges& changes) {
  for (const auto& row : changes.rows) {
    const auto* const* reservation = std::get_if<const Reservation*>(&row.record);
    if (!reservation) continue;
    if (row.added) {
      holds_.Add();
    } else {
      Count(**reservation);
    }
  }
}

void BookingCounters::Count(const Reservation& changed) {
  switch (changed.status) {
    case ReservationStatus::kHeld:
    case ReservationStatus::kPaying:
      break;
    case ReservationStatus::kConfirmed:
      return paid_.Add();
    case ReservationStatus::kCancelled:
      return cancelled_.Add();
    case ReservationStatus::kExpired: {
      expired_.Add();
      const std::lock_guard lock(mutex_);
      ++expired_by_concert_[changed.concert];
      return;
    }
    case ReservationStatus::kRefunded:
      return refunded_.Add();
  }
}

BookingCounters::Expired BookingCounters::TakeExpired() {
  const std::lock_guard lock(mutex_);
  return std::exchange(expired_by_concert_, {});
}

}  // namespace maejin
