// The booking API for operators.
#pragma once

#include "server/router.h"
#include "usecase/manage_concert.h"
#include "usecase/operate_booking.h"

namespace maejin::http {

// `operate` outlives the router.
void AddBookingOperatorRoutes(Router& router, ManageConcert& manage, OperateBooking& operate);

}  // namespace maejin::http
