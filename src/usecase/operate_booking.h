// What an operator does while tickets are on sale: block and release seats, cancel, postpone, close, look.
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
    return operations_.BlockSeats(schedule, std::move(seats), Who());
  }
  Task<Outcome<ConcertView>> Release(ScheduleId schedule, std::vector<SeatNumber> seats) {
    return operations_.UnblockSeats(schedule, std::move(seats), Who());
  }
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule) {
    return operations_.CancelSchedule(schedule, Who());
  }
  Task<Outcome<ConcertView>> Postpone(ScheduleId schedule, Date date, std::optional<Time> starts_at) {
    return operations_.PostponeSchedule(schedule, date, starts_at, Who());
  }
  Task<Outcome<ConcertView>> CancelConcert(ConcertId concert) {
    return operations_.CancelConcert(concert, Who());
  }
  Task<Outcome<ConcertView>> CloseConcert(ConcertId concert) {
    return operations_.CloseConcert(concert, Who());
  }
  Task<Outcome<std::vector<Reservation>>> Reservations(ReservationFilter filter) const {
    return operations_.ListReservations(std::move(filter));
  }

 private:
  Operator Who() const { return {"admin", clock_.Now()}; }

  BookingOperations& operations_;
  const Clock& clock_;
};

}  // namespace maejin
