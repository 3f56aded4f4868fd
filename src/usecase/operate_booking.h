// An operator's actions on seats and on single reservations.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_operations.h"
#include "usecase/manage_reservation.h"

namespace maejin {

// `actor`: the operator, for the audit log. Refusals as in the port. Thread-safe. The references outlive it.
class OperateBooking {
 public:
  OperateBooking(BookingStore& bookings, BookingOperations& operations, const Clock& clock)
      : bookings_(bookings), operations_(operations), clock_(clock) {}

  Task<Outcome<ConcertView>> Block(ScheduleId schedule, std::vector<SeatNumber> seats, std::string actor) {
    return operations_.BlockSeats(schedule, std::move(seats), Acting(std::move(actor)));
  }
  Task<Outcome<ConcertView>> Release(ScheduleId schedule, std::vector<SeatNumber> seats, std::string actor) {
    return operations_.UnblockSeats(schedule, std::move(seats), Acting(std::move(actor)));
  }
  Task<Outcome<std::vector<Reservation>>> Reservations(ReservationFilter filter) const {
    return operations_.ListReservations(std::move(filter));
  }
  Task<ReservationView> Show(Reservation reservation) {
    return ShowReservation(bookings_, std::move(reservation));
  }
  // Refuses: kReservationNotFound.
  Task<Outcome<ReservationId>> FindByCode(std::int64_t number) const {
    ReservationFilter filter;
    filter.number = number;
    const auto found = co_await operations_.ListReservations(std::move(filter));
    if (!found) co_return found.error();
    if (found->empty()) co_return Refusal::kReservationNotFound;
    co_return found->front().id;
  }
  Task<Outcome<ReservationView>> ReadReservation(ReservationId id) {
    return ShowOutcome(bookings_.FindReservation({id}, clock_.Now()));
  }
  // Refuses also: kHoldExpired.
  Task<Outcome<ReservationView>> CancelReservation(ReservationId id, std::string reason, std::string actor) {
    return ShowOutcome(operations_.CancelReservation(id, std::move(reason), Acting(std::move(actor))));
  }

 private:
  Operator Acting(std::string actor) const { return {std::move(actor), clock_.Now()}; }

  Task<Outcome<ReservationView>> ShowOutcome(Task<Outcome<PaymentOutcome>> finding) {
    auto found = co_await std::move(finding);
    if (!found) co_return found.error();
    auto view = co_await ShowReservation(bookings_, std::move(found->reservation), std::move(found->payment));
    co_return view;
  }

  BookingStore& bookings_;
  BookingOperations& operations_;
  const Clock& clock_;
};

}  // namespace maejin
