// What a booking store counts of its decisions, for /metrics, whoever asked for them: a hold that expires has
// no request. Thread-safe.
#pragma once

#include "base/metrics.h"
#include "domain/booking/concert.h"

namespace maejin {

class BookingCounters {
 public:
  // `metrics` outlives it.
  explicit BookingCounters(Metrics& metrics);

  // What one transition changed.
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
