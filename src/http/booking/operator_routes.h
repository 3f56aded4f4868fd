// The booking API for operators.
#pragma once

#include "server/router.h"
#include "usecase/operate_booking.h"
#include "usecase/read_concerts.h"

namespace maejin::http {

// Both outlive the router. Answers carry the concert with its ranks.
void AddBookingOperatorRoutes(Router& router, OperateBooking& operate, ReadConcerts& read);

}  // namespace maejin::http
