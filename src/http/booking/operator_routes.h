// The booking API for operators.
#pragma once

#include "server/router.h"
#include "usecase/operate_booking.h"

namespace maejin::http {

// `operate` outlives the router.
void AddBookingOperatorRoutes(Router& router, OperateBooking& operate);

}  // namespace maejin::http
