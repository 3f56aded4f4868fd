// Customers' actions on their reservations: list, read, extend once, cancel.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_operations.h"
#include "store/booking_store.h"

namespace maejin {

// A reservation with what its ticket shows.
struct ReservationView {
  Reservation reservation;
  // The newest payment, if the caller requested it.
  std::optional<Payment> payment = {};
  // Absent: the store does not know the date, because the database does not answer.
  std::optional<ShowView> show = {};
};

// Adds the data of the ticket. Never fails: without the store, `show` is absent.
inline Task<ReservationView> ShowReservation(BookingStore& bookings, Reservation reservation,
                                             std::optional<Payment> payment = {}) {
  ReservationView view{std::move(reservation), std::move(payment)};
  auto show = bookings.FindShow(view.reservation.schedule);
  if (!show) {
    [[maybe_unused]] const auto looked =
        co_await bookings.LoadMissing(SaleRef::OfSchedule(view.reservation.schedule));
    show = bookings.FindShow(view.reservation.schedule);
  }
  if (show) view.show = std::move(*show);
  co_return view;
}

// Thread-safe. The references outlive it.
class ManageReservation {
 public:
  ManageReservation(BookingStore& bookings, const BookingOperations& operations, const Clock& clock)
      : bookings_(bookings), operations_(operations), clock_(clock) {}

  // The user's own reservations, newest first. `after`: the row number of the last reservation of the
  // previous page, or 0. Refuses: kUnavailable.
  Task<Outcome<std::vector<ReservationView>>> List(UserId user, std::int64_t after, std::size_t limit) {
    ReservationFilter filter;
    filter.user = std::move(user);
    filter.after = after;
    filter.limit = limit;
    filter.newest_first = true;
    auto found = co_await operations_.ListReservations(std::move(filter));
    if (!found) co_return found.error();
    std::vector<ReservationView> views;
    for (auto& reservation : *found) {
      auto view = co_await Show(std::move(reservation));
      views.push_back(std::move(view));
    }
    co_return views;
  }
  Task<ReservationView> Show(Reservation reservation, std::optional<Payment> payment = {}) {
    return ShowReservation(bookings_, std::move(reservation), std::move(payment));
  }

  // Refuses: kReservationNotFound, also for another user's reservation.
  Task<Outcome<PaymentOutcome>> Read(ReservationRef ref) {
    return bookings_.FindReservation(std::move(ref), clock_.Now());
  }
  // Refuses: kReservationNotFound, kHoldExpired, kAlreadyExtended.
  Task<Outcome<Reservation>> Extend(ReservationRef ref) {
    return bookings_.ExtendHold(std::move(ref), clock_.Now());
  }
  // Cancels; a paid reservation is refunded. Idempotent. Refuses: kReservationNotFound, kHoldExpired.
  Task<Outcome<Reservation>> Cancel(ReservationRef ref) {
    return bookings_.Cancel(std::move(ref), clock_.Now());
  }

 private:
  BookingStore& bookings_;
  const BookingOperations& operations_;
  const Clock& clock_;
};

}  // namespace maejin
