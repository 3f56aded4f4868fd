// Releases holds whose deadline has passed. Called about ten times a second.
#pragma once

#include "base/clock.h"
#include "store/booking_store.h"

namespace maejin {

// Thread-safe.
class ExpireHolds {
 public:
  ExpireHolds(BookingStore& bookings, const Clock& clock) : bookings_(bookings), clock_(clock) {}
  void operator()() { bookings_.ExpireHolds(clock_.Now()); }

 private:
  BookingStore& bookings_;
  const Clock& clock_;
};

}  // namespace maejin
