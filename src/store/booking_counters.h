// Booking metrics. The stores count them, because some transitions, such as the expiry of a hold, have no
// request. Thread-safe.
#pragma once

#include <map>
#include <mutex>

#include "base/metrics.h"
#include "domain/booking/concert.h"

namespace maejin {

class BookingCounters {
 public:
  // `metrics` outlives it.
  explicit BookingCounters(Metrics& metrics);

  // Counts the changes of one transition.
  void Count(const BookingChanges& changes);

  // Holds that expired on this node since the last call, by concert.
  using Expired = std::map<ConcertId, std::int64_t>;
  Expired TakeExpired();

 private:
  void Count(const Reservation& changed);

  Counter& holds_;
  Counter& expired_;
  Counter& cancelled_;
  Counter& paid_;
  Counter& refunded_;
  std::mutex mutex_;
  Expired expired_by_concert_;  // guarded by mutex_
};

}  // namespace maejin
