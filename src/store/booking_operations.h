// The operators' side of the booking port. Every action is one transition, durable with its audit row before
// it returns; what is decided stands in domain/booking/concert.h. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/booking_store.h"

namespace maejin {

// Who acts, and when.
struct Operator {
  std::string name = "admin";
  Time at{};
};

// All that is set must hold.
struct ReservationFilter {
  std::optional<ConcertId> concert = {};
  std::optional<ScheduleId> schedule = {};
  std::optional<UserId> user = {};
  std::optional<ReservationStatus> status = {};
  std::int64_t after = 0;  // row number
  std::size_t limit = 100;
};

class BookingOperations {
 public:
  virtual ~BookingOperations() = default;

  // Refuse: kScheduleNotFound, kSeatNotFound, and blocking also kSeatTaken, kSeatHeld.
  virtual Task<Outcome<ConcertView>> BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                Operator who) = 0;
  virtual Task<Outcome<ConcertView>> UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                  Operator who) = 0;
  // Holds are cancelled and paid seats refunded soon after, a part at each BookingStore::ExpireHolds(); how
  // far that is tell the schedule's held and assigned seats. Refuses: kScheduleNotFound, kConcertNotFound.
  virtual Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule, Operator who) = 0;
  virtual Task<Outcome<ConcertView>> CancelConcert(ConcertId concert, Operator who) = 0;
  // Refuses: kScheduleNotFound, kNotOpen (cancelled).
  virtual Task<Outcome<ConcertView>> PostponeSchedule(ScheduleId schedule, Date date,
                                                      std::optional<Time> starts_at, Operator who) = 0;
  // Refuses: kConcertNotFound, kNotOpen (cancelled).
  virtual Task<Outcome<ConcertView>> CloseConcert(ConcertId concert, Operator who) = 0;

  // Ascending by number: the oldest first. Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<Reservation>>> ListReservations(ReservationFilter filter) const = 0;
};

}  // namespace maejin
