// Creates a concert with its dates, and the waiting room that belongs to it.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/waiting_room_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class CreateConcert {
 public:
  CreateConcert(BookingStore& bookings, WaitingRoomStore& rooms, const Clock& clock)
      : bookings_(bookings), rooms_(rooms), clock_(clock) {}

  // Refuses: kUnavailable. The room exists when this returns.
  Task<Outcome<ConcertView>> operator()(ConcertDetails details, std::vector<SchedulePlan> schedules);

 private:
  BookingStore& bookings_;
  WaitingRoomStore& rooms_;
  const Clock& clock_;
};

}  // namespace maejin
