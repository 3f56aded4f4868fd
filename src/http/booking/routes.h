// The booking API: concerts, seats, reservations, payments.
#pragma once

#include "base/key_ring.h"
#include "http/booking/seat_streams.h"
#include "http/idempotency.h"
#include "http/identity.h"
#include "server/router.h"
#include "usecase/confirm_payment.h"
#include "usecase/hold_seats.h"
#include "usecase/manage_concert.h"
#include "usecase/manage_reservation.h"
#include "usecase/read_concerts.h"

namespace maejin::http {

// All outlive the router.
struct BookingRoutes {
  ManageConcert& manage_concert;
  ReadConcerts& read_concerts;
  ReadSeats& read_seats;
  SeatsPages& seats_pages;
  SeatStreams& seat_streams;
  HoldSeats& hold_seats;
  ConfirmPayment& confirm_payment;
  ManageReservation& manage_reservation;
  const Identity& identity;
  const KeyRing& keys;  // verify queue tokens
  Idempotency& idempotency;
};

void AddBookingRoutes(Router& router, BookingRoutes routes);

}  // namespace maejin::http
