// Dates with their seat plans from a file of any length: read as it comes in, and added all or none.
#pragma once

#include "http/booking/routes.h"

namespace maejin::http {

// An array of seat plans, or one plan after the other, at most 1 MiB each. 201 with the concert; or a problem
// whose `errors` name every plan that is wrong, by line (in an array: by its place) and field, and nothing is
// changed. Refuses: kConcertNotFound, kNotOpen (cancelled or closed), kInvalidField, kInvalidJson,
// kPayloadTooLarge.
Task<Outcome<Done>> ImportSeatPlans(BookingRoutes routes, const Request& request, BodyReader& body,
                                    Response& response);

}  // namespace maejin::http
