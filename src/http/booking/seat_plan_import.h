// Imports dates with their seat plans from a body of any length: parsed while it is received, added all or
// none.
#pragma once

#include "http/booking/routes.h"

namespace maejin::http {

// The body is an array of seat plans, or one plan after the other, at most 1 MiB each. Answers 201 with the
// concert, or a problem whose `errors` name every invalid plan by text line (in an array: by index) and
// field; then nothing is changed. Refuses: kConcertNotFound, kNotOpen (cancelled or closed), kInvalidField,
// kInvalidJson, kPayloadTooLarge.
Task<Outcome<Done>> ImportSeatPlans(BookingRoutes routes, const Request& request, BodyReader& body,
                                    Response& response);

}  // namespace maejin::http
