// Imports dates with their seat plans from a body of any length. The body is parsed while it is received.
// Either all its dates are added, or none.
#pragma once

#include "http/booking/routes.h"

namespace maejin::http {

// The body is an array of seat plans, or one plan after the other; a plan has at most 1 MiB. Answers 201 with
// the concert, or a problem. The problem's `errors` name the first 100 invalid plans by text line (in an
// array: by index) and field. Refuses: kConcertNotFound, kNotOpen (cancelled or closed), kInvalidField,
// kInvalidJson, kPayloadTooLarge.
Task<Outcome<Done>> ImportSeatPlans(BookingRoutes routes, const Request& request, BodyReader& body,
                                    Response& response);

}  // namespace maejin::http
