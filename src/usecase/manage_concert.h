// What an operator does to a concert after creating it: add dates, open.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ManageConcert {
 public:
  ManageConcert(BookingStore& bookings, const Clock& clock) : bookings_(bookings), clock_(clock) {}

  // A schedule added to an open concert opens now. Refuses: kConcertNotFound, kNotOpen.
  Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules) {
    return bookings_.AddSchedules(concert, std::move(schedules), clock_.Now());
  }
  // bookingOpenAt = now. Refuses: kConcertNotFound, kNotOpen (cancelled or closed), kAlreadyOpen.
  Task<Outcome<ConcertView>> Open(ConcertId concert) { return bookings_.OpenConcert(concert, clock_.Now()); }

 private:
  BookingStore& bookings_;
  const Clock& clock_;
};

}  // namespace maejin
