#include "app/booking_module.h"

namespace maejin::app {

BookingModule::BookingModule(const BackEnds::Ports& ports, const Dependencies& deps)
    : identity_(deps.identity),
      idempotency_(deps.idempotency),
      keys_(ports.keys),
      bookings_(ports.bookings),
      clock_(ports.clock),
      turn_({.store = ports.rooms,
             .keys = ports.keys,
             .clock = ports.clock,
             .lost = ports.lost,
             .emergency = &ports.emergency}),
      follow_concert_(ports.bookings, ports.rooms, ports.clock),
      manage_concert_({ports.bookings, ports.operations, follow_concert_, ports.rankings, ports.clock,
                       TimeZone::Find(deps.config.timezone).value()}),
      read_concerts_(ports.bookings, ports.rankings, {ports.posters, ports.logos}, ports.clock),
      manage_poster_(PictureKind::kPoster, ports.posters, read_concerts_, ports.clock),
      manage_logo_(PictureKind::kLogo, ports.logos, read_concerts_, ports.clock),
      read_seats_(ports.bookings, ports.clock),
      seats_pages_(read_seats_, {.bytes = deps.config.http.seat_map_bytes}),
      seat_streams_(read_seats_, seats_pages_),
      count_refusals_(ports.refusals),
      hold_seats_({ports.bookings, ports.rooms, turn_, ports.clock, ports.seat_lock, count_refusals_}),
      payments_(deps.config,
                {ports.bookings, ports.rooms, ports.clock, deps.metrics, deps.idempotency, count_refusals_}),
      confirm_payment_({ports.bookings, ports.rooms, ports.rankings, ports.clock, payments_.metrics(),
                        payments_.advance()}),
      manage_reservation_(ports.bookings, ports.operations, ports.clock),
      operate_booking_(ports.bookings, ports.operations, ports.clock),
      report_sale_({ports.bookings, ports.operations, ports.rooms, ports.audit, ports.refusals, ports.clock}),
      sale_series_(
          {ports.bookings, ports.rooms, ports.audit, ports.refusals, ports.series, ports.counters,
           [&metrics = deps.metrics] { return metrics.CountsOf("maejin_http_request_duration_seconds"); },
           ports.clock}),
      check_ticket_(ports.bookings, ports.operations, ports.keys),
      expire_holds_(ports.bookings, ports.clock) {
  AddGauges(deps.metrics);
}

void BookingModule::AddGauges(Metrics& metrics) {
  metrics.AddGaugeOf("maejin_booking_seat_listeners", "Clients that listen to a seat stream.",
                     [this] { return static_cast<double>(seat_streams_.listeners()); });
  metrics.AddGaugeOf(
      "maejin_seat_map_bytes",
      "Memory of rendered seat maps, older versions that clients still read included, in bytes.",
      [this] { return static_cast<double>(seats_pages_.bytes()); });
  metrics.AddCounterOf("maejin_seat_maps_withdrawn_total",
                       "Old versions of seat maps whose slow readers were dropped.",
                       [this] { return static_cast<double>(seats_pages_.withdrawn()); });
  const auto add = [&](const char* state, std::int64_t (*count)(const Stock&)) {
    metrics.AddGaugeOf("maejin_booking_seats", "Seats of all concerts, by state.",
                       [this, count] { return static_cast<double>(count(bookings_.TotalStock())); },
                       {{"state", state}});
  };
  add("available", [](const Stock& stock) { return stock.available; });
  add("held", [](const Stock& stock) { return stock.held; });
  add("assigned", [](const Stock& stock) { return stock.total - stock.available - stock.held; });
}

void BookingModule::AddRoutes(http::Router& router) {
  http::AddBookingRoutes(router, {.manage_concert = manage_concert_,
                                  .read_concerts = read_concerts_,
                                  .read_seats = read_seats_,
                                  .seats_pages = seats_pages_,
                                  .seat_streams = seat_streams_,
                                  .hold_seats = hold_seats_,
                                  .confirm_payment = confirm_payment_,
                                  .manage_reservation = manage_reservation_,
                                  .identity = identity_,
                                  .keys = keys_,
                                  .idempotency = idempotency_});
  payments_.AddRoutes(router);
  http::AddTicketRoutes(router, {manage_reservation_, check_ticket_, identity_, keys_});
  http::AddReportRoutes(router, report_sale_);
  http::AddSeriesRoutes(router, sale_series_);
  http::AddPictureRoutes(router, manage_poster_);
  http::AddPictureRoutes(router, manage_logo_);
  http::AddBookingOperatorRoutes(router, manage_concert_, operate_booking_, read_concerts_);
}

}  // namespace maejin::app
