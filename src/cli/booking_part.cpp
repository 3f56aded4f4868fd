#include "cli/booking_part.h"

namespace maejin::cli {

BookingPart::BookingPart(const Parts& parts, embedded::Connection& reader)
    : identity_(parts.identity),
      clock_(parts.clock),
      counters_(parts.metrics),
      refused_(parts.metrics, "maejin_booking_refusals_total",
               "Holds, payments, extensions and cancellations refused."),
      store_(parts.journal, parts.audit, parts.random),
      turn_(parts.rooms, parts.keys),
      create_concert_(store_, parts.rooms, parts.clock),
      manage_concert_(store_, parts.clock),
      read_concerts_(store_, parts.rankings, parts.clock),
      read_seats_(store_),
      hold_seats_(store_, turn_, parts.clock),
      payments_(parts.config, {store_, parts.rooms, parts.clock, parts.metrics, parts.idempotency}),
      confirm_payment_({store_, parts.rooms, parts.clock, payments_.metrics(), payments_.advance()}),
      manage_reservation_(store_, parts.clock),
      operate_booking_(store_, parts.clock),
      expire_holds_(store_, parts.clock) {
  store_.Load(reader, parts.clock.Now());
  store_.CountWith(counters_);
  AddGauges(parts.metrics);
}

void BookingPart::AddGauges(Metrics& metrics) {
  metrics.AddGaugeOf("maejin_booking_seat_listeners", "Listeners of the streams of seats.",
                     [this] { return static_cast<double>(seat_streams_.listeners()); });
  const auto add = [&](const char* state, std::int64_t (*count)(const Stock&)) {
    metrics.AddGaugeOf("maejin_booking_seats", "Seats for sale of all concerts, by state.",
                       [this, count] { return static_cast<double>(count(store_.TotalStock())); },
                       {{"state", state}});
  };
  add("available", [](const Stock& stock) { return stock.available; });
  add("held", [](const Stock& stock) { return stock.held; });
  add("assigned", [](const Stock& stock) { return stock.total - stock.available - stock.held; });
}

void BookingPart::Tick() {
  expire_holds_();
  seat_streams_.Tick(clock_.Now());
}

void BookingPart::AddRoutes(http::Router& router) {
  http::AddBookingRoutes(router, {.create_concert = create_concert_,
                                  .manage_concert = manage_concert_,
                                  .read_concerts = read_concerts_,
                                  .read_seats = read_seats_,
                                  .seats_pages = seats_pages_,
                                  .seat_streams = seat_streams_,
                                  .hold_seats = hold_seats_,
                                  .confirm_payment = confirm_payment_,
                                  .manage_reservation = manage_reservation_,
                                  .identity = identity_,
                                  .refused = refused_});
  payments_.AddRoutes(router);
  http::AddBookingOperatorRoutes(router, operate_booking_);
}

}  // namespace maejin::cli
