// Keeps the waiting room of a concert in step with the concert: its opening, its end, and whether a seat is
// available.
#pragma once

#include <map>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/waiting_room_store.h"

namespace maejin {

// The plan that the room of a concert follows.
SalePlan PlanOf(const ConcertView& concert);

// operator() is thread-safe; one thread calls Tick(). The references outlive it.
class FollowConcert {
 public:
  FollowConcert(BookingStore& bookings, WaitingRoomStore& rooms, const Clock& clock)
      : bookings_(bookings), rooms_(rooms), clock_(clock) {}

  // Call with the concert after an operator's action: creates its room if it is missing, and applies the
  // concert's plan to the room.
  Task<Outcome<Done>> operator()(ConcertView concert);

  // Repeats interrupted updates, for some concerts at each call, and calls SetSeats() of their rooms. Call
  // about ten times a second. Blocks on the stores.
  void Tick();

 private:
  void FollowSome(Time now);
  void UpdateSeats(Time now);

  BookingStore& bookings_;
  WaitingRoomStore& rooms_;
  const Clock& clock_;
  // Tick() only: concerts with a room of their own.
  struct Known {
    std::int64_t life = 0;  // the concert's `life` that its room follows
    bool has_seats = true;  // the value of the last SetSeats()
    Time seats_set_at{};
  };
  std::map<ConcertId, Known> known_;
  ConcertId after_ = 0;
};

}  // namespace maejin
