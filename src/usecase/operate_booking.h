// An operator's actions on seats, and the list of reservations.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_operations.h"

namespace maejin {

// Refusals as in the port. Thread-safe. The references outlive it.
class OperateBooking {
 public:
  OperateBooking(BookingOperations& operations, const Clock& clock)
      : operations_(operations), clock_(clock) {}

  Task<Outcome<ConcertView>> Block(ScheduleId schedule, std::vector<SeatNumber> seats) {
    return operations_.BlockSeats(schedule, std::move(seats), Actor());
  }
  Task<Outcome<ConcertView>> Release(ScheduleId schedule, std::vector<SeatNumber> seats) {
    return operations_.UnblockSeats(schedule, std::move(seats), Actor());
  }
  Task<Outcome<std::vector<Reservation>>> Reservations(ReservationFilter filter) const {
    return operations_.ListReservations(std::move(filter));
  }

 private:
  Operator Actor() const { return {"admin", clock_.Now()}; }

  BookingOperations& operations_;
  const Clock& clock_;
};

}  // namespace maejin
