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

// The last call of SetSeats() for a room.
struct ToldSeats {
  bool has_seats = true;
  Time at{};

  // Whether the room must be told `has_seats_now`. An equal value is repeated, because a room may have lost
  // the last call; but not while the database does not answer: another node may have told a newer value.
  bool IsDue(bool has_seats_now, bool is_current, Time now) const;
};

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
    ToldSeats told;
  };
  std::map<ConcertId, Known> known_;
  ConcertId after_ = 0;
};

}  // namespace maejin
