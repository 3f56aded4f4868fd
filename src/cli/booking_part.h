// Bookings as a part of the application: store, use cases, routes and expiry, put together.
#pragma once

#include "adapters/embedded/booking_store.h"
#include "adapters/embedded/journal.h"
#include "base/clock.h"
#include "base/key_ring.h"
#include "base/metrics.h"
#include "cli/payment_part.h"
#include "http/booking_operator_routes.h"
#include "http/booking_routes.h"
#include "usecase/expire_holds.h"
#include "usecase/require_turn_in_room.h"

namespace maejin::cli {

class BookingPart {
 public:
  // What bookings need of the rest; all of it outlives the part.
  struct Parts {
    embedded::Journal& journal;
    embedded::AuditLog& audit;
    Random& random;
    const Clock& clock;
    WaitingRoomStore& rooms;
    RankingStore& rankings;
    const KeyRing& keys;
    const http::Identity& identity;
    Metrics& metrics;
    http::Idempotency& idempotency;
    const Config& config;  // read at the start only
  };

  // Loads everything. Throws SqliteError.
  BookingPart(const Parts& parts, embedded::Connection& reader);

  void AddRoutes(http::Router& router);
  // Called about ten times a second.
  void Tick();
  PaymentPart& payments() { return payments_; }

  embedded::EmbeddedBookingStore& store() { return store_; }

 private:
  void AddGauges(Metrics& metrics);

  const http::Identity& identity_;
  const Clock& clock_;
  BookingCounters counters_;
  CountRefusals refused_;
  embedded::EmbeddedBookingStore store_;
  RequireTurnInRoom turn_;
  CreateConcert create_concert_;
  ManageConcert manage_concert_;
  ReadConcerts read_concerts_;
  ReadSeats read_seats_;
  http::SeatsPages seats_pages_{read_seats_};
  http::SeatStreams seat_streams_{read_seats_, seats_pages_};
  HoldSeats hold_seats_;
  PaymentPart payments_;
  ConfirmPayment confirm_payment_;
  ManageReservation manage_reservation_;
  OperateBooking operate_booking_;
  ExpireHolds expire_holds_;
};

}  // namespace maejin::cli
