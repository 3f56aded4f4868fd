#include "cli/booking_part.h"

namespace maejin::cli {

BookingPart::BookingPart(const Parts& parts, embedded::Connection& reader)
    : identity_(parts.identity),
      store_(parts.journal, parts.audit, parts.random),
      turn_(parts.rooms, parts.keys),
      create_concert_(store_, parts.rooms, parts.clock),
      manage_concert_(store_, parts.clock),
      read_concerts_(store_, parts.rankings, parts.clock),
      read_seats_(store_),
      hold_seats_(store_, turn_, parts.clock),
      confirm_payment_(store_, parts.rooms, parts.clock),
      manage_reservation_(store_, parts.clock),
      operate_booking_(store_, parts.clock),
      expire_holds_(store_, parts.clock) {
  store_.Load(reader, parts.clock.Now());
}

void BookingPart::AddRoutes(http::Router& router) {
  http::AddBookingRoutes(router, {.create_concert = create_concert_,
                                  .manage_concert = manage_concert_,
                                  .read_concerts = read_concerts_,
                                  .read_seats = read_seats_,
                                  .hold_seats = hold_seats_,
                                  .confirm_payment = confirm_payment_,
                                  .manage_reservation = manage_reservation_,
                                  .identity = identity_});
  http::AddBookingOperatorRoutes(router, operate_booking_);
}

}  // namespace maejin::cli
