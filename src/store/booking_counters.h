// Booking metrics. Counted by the stores, because some transitions (an expiring hold) have no request.
// Thread-safe.
#pragma once

#include "base/metrics.h"
#include "domain/booking/concert.h"

namespace maejin {

class BookingCounters {
 public:
  // `metrics` outlives it.
  explicit BookingCounters(Metrics& metrics);

  // Counts the changes of one transition.
  void Count(const BookingChanges& changes);

 private:
  void Count(const Reservation& changed);

  Counter& holds_;
  Counter& expired_;
  Counter& cancelled_;
  Counter& paid_;
  Counter& refunded_;
};

}  // namespace maejin
