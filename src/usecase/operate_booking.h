// An operator's actions during a sale: block and release seats, cancel, postpone, close, list reservations,
// read, cancel and refund one of them.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_operations.h"
#include "store/waiting_room_store.h"
#include "usecase/manage_reservation.h"

namespace maejin {

// Refusals as in the port. Thread-safe. The references outlive it.
class OperateBooking {
 public:
  OperateBooking(BookingStore& bookings, BookingOperations& operations, WaitingRoomStore& rooms,
                 const Clock& clock)
      : bookings_(bookings), operations_(operations), rooms_(rooms), clock_(clock) {}

  Task<Outcome<ConcertView>> Block(ScheduleId schedule, std::vector<SeatNumber> seats) {
    return operations_.BlockSeats(schedule, std::move(seats), Actor());
  }
  Task<Outcome<ConcertView>> Release(ScheduleId schedule, std::vector<SeatNumber> seats) {
    return operations_.UnblockSeats(schedule, std::move(seats), Actor());
  }
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule) {
    return operations_.CancelSchedule(schedule, Actor());
  }
  Task<Outcome<ConcertView>> Postpone(ScheduleId schedule, Date date, std::optional<Time> starts_at) {
    return operations_.PostponeSchedule(schedule, date, starts_at, Actor());
  }
  // These also close the concert's own room, because its fans would wait in vain.
  Task<Outcome<ConcertView>> CancelConcert(ConcertId concert) {
    return CloseRoomAfter(operations_.CancelConcert(concert, Actor()));
  }
  Task<Outcome<ConcertView>> CloseConcert(ConcertId concert) {
    return CloseRoomAfter(operations_.CloseConcert(concert, Actor()));
  }
  Task<Outcome<std::vector<Reservation>>> Reservations(ReservationFilter filter) const {
    return operations_.ListReservations(std::move(filter));
  }
  Task<ReservationView> Show(Reservation reservation) {
    return ShowReservation(bookings_, std::move(reservation));
  }
  // Refuse: kReservationNotFound.
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
  Task<Outcome<ReservationView>> CancelReservation(ReservationId id, std::string reason) {
    return ShowOutcome(operations_.CancelReservation(id, std::move(reason), Actor()));
  }

 private:
  Operator Actor() const { return {"admin", clock_.Now()}; }

  Task<Outcome<ReservationView>> ShowOutcome(Task<Outcome<PaymentOutcome>> finding) {
    auto found = co_await std::move(finding);
    if (!found) co_return found.error();
    auto view = co_await ShowReservation(bookings_, std::move(found->reservation), std::move(found->payment));
    co_return view;
  }

  // A failure to close the room does not fail the operation: holds are refused anyway.
  Task<Outcome<ConcertView>> CloseRoomAfter(Task<Outcome<ConcertView>> ending) {
    auto ended = co_await std::move(ending);
    if (!ended || ended->details.room != RoomKind::kOwn) co_return ended;
    RoomPatch closed;
    closed.state = RoomState::kClosed;
    [[maybe_unused]] const auto room =
        co_await rooms_.Configure(RoomOf(ended->id), closed, Actor().name, clock_.Now());
    co_return ended;
  }

  BookingStore& bookings_;
  BookingOperations& operations_;
  WaitingRoomStore& rooms_;
  const Clock& clock_;
};

}  // namespace maejin
