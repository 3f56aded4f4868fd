// Booking without JavaScript: the server fills the pages for best available seats, payment, ticket and
// cancelling. They use the same use cases as the API, so the same rules hold. They work only where users are
// trusted: a plain page cannot prove a signed user.
#pragma once

#include <memory>

#include "base/key_ring.h"
#include "http/pages/plain_parts.h"
#include "server/router.h"
#include "usecase/confirm_payment.h"
#include "usecase/hold_seats.h"
#include "usecase/manage_reservation.h"
#include "usecase/poll_room.h"

namespace maejin::http {

// Everything here outlives the pages.
struct PlainBookingParts {
  HoldSeats& hold;
  ConfirmPayment& pay;
  ManageReservation& manage;
  const KeyRing& keys;  // of tickets
};

// Thread-safe.
class PlainBooking {
 public:
  PlainBooking(PlainBookingParts parts, PlainPagesParts pages, std::shared_ptr<const PageLibrary> library)
      : parts_(parts), pages_(std::move(pages)), library_(std::move(library)), poll_(pages_.room) {}

  // GET /events/{eventId}/seats?plain=1: a form with the dates and the count of seats. A fan that is not
  // inside is sent to the page of the line. Refuses: kConcertNotFound.
  Task<Outcome<Done>> ShowSeats(const Request& request, Response& response) const;
  // POST /events/{eventId}/seats/plain, a form with schedule, count and key: holds the best seats and sends
  // the browser to the booking. A form that is sent again with the same key holds no more seats. Refuses:
  // kForbidden (another site's form), kConcertNotFound, kInvalidField, and errors of HoldSeats that no page
  // explains.
  Task<Outcome<Done>> Hold(const Request& request, Response& response) const;
  // GET /events/{eventId}/bookings: the fan's bookings of the concert.
  Task<Outcome<Done>> List(const Request& request, Response& response) const;
  // GET /events/{eventId}/bookings/{id}: the hold with the time to pay, the ticket, or how it ended; with
  // ?cancel=1 the question whether to cancel. Refuses: kReservationNotFound.
  Task<Outcome<Done>> Show(const Request& request, Response& response) const;
  // POST to the same address, a form with do=pay|release|cancel. Refuses: kForbidden, kInvalidField,
  // kReservationNotFound, and errors of the verbs that no page explains.
  Task<Outcome<Done>> Act(const Request& request, Response& response) const;

 private:
  // True: the fan is inside, or the concert has no room.
  Task<Outcome<bool>> IsInside(const PlainConcert* concert, std::string token) const;
  Task<Outcome<Done>> Pay(ReservationRef ref, RequestTrace trace) const;
  // Gives unpaid seats back, or cancels a paid booking.
  Task<Outcome<Done>> End(ReservationRef ref, bool paid) const;
  // The reservation in the path, and the fan of the cookie.
  Outcome<ReservationRef> Find(const Request& request, Response& response) const;
  std::vector<PageText> BookingTexts(const ReservationView& view, const Request& request) const;

  PlainBookingParts parts_;
  PlainPagesParts pages_;
  std::shared_ptr<const PageLibrary> library_;
  PollRoom poll_;
};

}  // namespace maejin::http
