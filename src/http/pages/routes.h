// The pages for fans and operators, the API's documentation, and their files.
#pragma once

#include "base/clock.h"
#include "http/pages/plain_booking.h"
#include "http/pages/plain_parts.h"
#include "server/router.h"

namespace maejin::http {

// All outlive the router.
struct PagesRoutes {
  const Clock& clock;
  // The waiting line without JavaScript.
  PlainPagesParts plain;
  // Booking without JavaScript.
  PlainBookingParts booking;
  std::shared_ptr<const PageLibrary> library;
  // maejin's address as browsers see it, for links that others share. Empty: unknown.
  std::string public_url;
};

// /, /events/{eventId}, its /seats, /bookings and /draw, /me, /sw.js, /wait/{room}, /rankings, /docs,
// /docs/problems/{code}, /assets/{name}, /client/{name} (the browser client), /favicon.svg, and /api/v1/time,
// which keeps a page's countdown on the server's clock.
void AddPagesRoutes(Router& router, const PagesRoutes& deps);

}  // namespace maejin::http
