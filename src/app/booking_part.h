// Bookings as a part of the application: use cases, routes and expiry, put together.
#pragma once

#include "app/back_ends.h"
#include "app/payment_part.h"
#include "base/metrics.h"
#include "http/booking/operator_routes.h"
#include "http/booking/routes.h"
#include "usecase/expire_holds.h"
#include "usecase/require_turn_in_room.h"

namespace maejin::app {

class BookingPart {
 public:
  // What bookings need beside the ports; all of it outlives the part.
  struct Parts {
    const http::Identity& identity;
    Metrics& metrics;
    http::Idempotency& idempotency;
    const config::Config& config;  // read at the start only
  };
  BookingPart(const BackEnds::Ports& ports, const Parts& parts);

  void AddRoutes(http::Router& router);
  // Each called about ten times a second. The first may wait for the store.
  void Expire() { expire_holds_(); }
  void TickStreams() { seat_streams_.Tick(clock_.Now()); }
  PaymentPart& payments() { return payments_; }

 private:
  void AddGauges(Metrics& metrics);

  const http::Identity& identity_;
  http::Idempotency& idempotency_;
  const KeyRing& keys_;
  BookingStore& bookings_;
  const Clock& clock_;
  RequireTurnInRoom turn_;
  CreateConcert create_concert_;
  ManageConcert manage_concert_;
  ReadConcerts read_concerts_;
  ReadSeats read_seats_;
  http::SeatsPages seats_pages_;
  http::SeatStreams seat_streams_;
  HoldSeats hold_seats_;
  PaymentPart payments_;
  ConfirmPayment confirm_payment_;
  ManageReservation manage_reservation_;
  OperateBooking operate_booking_;
  ExpireHolds expire_holds_;
};

}  // namespace maejin::app
