// The booking API for operators.
#pragma once

#include "server/router.h"
#include "usecase/manage_concert.h"
#include "usecase/operate_booking.h"
#include "usecase/read_concerts.h"

namespace maejin::http {

// All outlive the router. Answers carry the concert with its ranks.
void AddBookingOperatorRoutes(Router& router, ManageConcert& manage, OperateBooking& operate,
                              ReadConcerts& read);

}  // namespace maejin::http
