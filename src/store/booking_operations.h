// The booking port for operators. Every action is one transition, durable with its audit row when it returns.
// The rules are in domain/booking/concert.h. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/booking_store.h"

namespace maejin {

// Selects reservations that match all fields that are set.
struct ReservationFilter {
  std::optional<ConcertId> concert = {};
  std::optional<ScheduleId> schedule = {};
  std::optional<UserId> user = {};
  std::optional<ReservationStatus> status = {};
  std::optional<SeatNumber> seat = {};      // reservations that contain this seat
  std::optional<std::int64_t> number = {};  // only the reservation with this row number
  std::int64_t after = 0;                   // row number, not included; 0: from the start
  std::size_t limit = 100;
  bool newest_first = false;
};

class BookingOperations {
 public:
  virtual ~BookingOperations() = default;

  // Refuse: kScheduleNotFound, kSeatNotFound, and blocking also kSeatTaken, kSeatHeld.
  virtual Task<Outcome<ConcertView>> BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                Operator actor) = 0;
  virtual Task<Outcome<ConcertView>> UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                  Operator actor) = 0;
  // Each later BookingStore::ExpireHolds() cancels some of the holds and refunds some of the paid seats; the
  // schedule's held and assigned seats show the progress. Refuse: kScheduleNotFound, kConcertNotFound.
  virtual Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule, Operator actor) = 0;
  virtual Task<Outcome<ConcertView>> CancelConcert(ConcertId concert, Operator actor) = 0;
  // Refuses: kScheduleNotFound, kConcertCancelled.
  virtual Task<Outcome<ConcertView>> PostponeSchedule(ScheduleId schedule, NewDate to, Operator actor) = 0;
  // Refuses: kConcertNotFound, kConcertCancelled.
  virtual Task<Outcome<ConcertView>> CloseConcert(ConcertId concert, Operator actor) = 0;
  // Undoes CloseConcert(). Refuses: kConcertNotFound, kConcertCancelled, kNotClosed.
  virtual Task<Outcome<ConcertView>> ReopenConcert(ConcertId concert, Operator actor) = 0;
  // Refuses: kConcertNotFound, then as Changed() (domain/booking/booking_rules.h).
  virtual Task<Outcome<ConcertView>> ChangeConcert(ConcertId concert, ConcertPatch patch, Operator actor) = 0;
  // Refuses: kScheduleNotFound, kConcertCancelled.
  virtual Task<Outcome<ConcertView>> ChangeSchedule(ScheduleId schedule, SchedulePatch patch,
                                                    Operator actor) = 0;

  // Cancels one reservation; a paid one is refunded. The audit log has the reason. A repeated call changes
  // nothing. Refuses: kReservationNotFound, kHoldExpired.
  virtual Task<Outcome<PaymentOutcome>> CancelReservation(ReservationId reservation, std::string reason,
                                                          Operator actor) = 0;
  // Sorted by row number, which is the order of creation. Returns durable state only. Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<Reservation>>> ListReservations(ReservationFilter filter) const = 0;
};

}  // namespace maejin
