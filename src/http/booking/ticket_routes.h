// Tickets: the owner gets them as QR codes; the box office asks whether a ticket is valid.
#pragma once

#include "base/key_ring.h"
#include "http/identity.h"
#include "server/router.h"
#include "usecase/check_ticket.h"
#include "usecase/manage_reservation.h"

namespace maejin::http {

// All outlive the router.
struct TicketRoutes {
  ManageReservation& manage_reservation;
  const CheckTicket& check_ticket;
  const Identity& identity;
  const KeyRing& keys;  // the newest key signs tickets
};

// GET /api/v1/reservations/{id}/tickets (owner), GET /api/v1/tickets/{code} (box office).
void AddTicketRoutes(Router& router, TicketRoutes routes);

}  // namespace maejin::http
