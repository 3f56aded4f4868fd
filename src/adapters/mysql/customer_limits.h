// The limits of customers, checked in the database. A transaction locks the customer's row in `buyers` before
// it counts the customer's seats. So holds of one customer are decided one after the other, on all nodes.
#pragma once

#include <vector>

#include "adapters/mysql/connection.h"
#include "domain/booking/booking_requests.h"
#include "domain/booking/limits.h"
#include "domain/booking/reservation.h"
#include "store/booking_store.h"

namespace maejin::mysql {

// A hold that a customer wants in a concert with limits.
struct CustomerHold {
  ConcertId concert = 0;
  const ConcertDetails* details = nullptr;
  UserId user;
  ScheduleId schedule = 0;
  std::size_t seats = 0;
  Time now;
};

// Refuses as CheckLimits(). Locks the customer until the transaction ends.
Outcome<Done> CheckCustomer(Connection& connection, const CustomerHold& hold);

// Locks all customers with one statement, and reads their seats with one statement per concert. The result
// has one element per hold. True: the hold is within the limits. False: the hold is beyond a limit, or needs
// another read; the caller decides it alone. Precondition: each customer of a concert occurs once.
std::vector<bool> CheckCustomers(Connection& connection, const std::vector<CustomerHold>& holds);

}  // namespace maejin::mysql
