// The limits of customers, checked in the database. A lock of the customer's row in `buyers` is taken before
// its seats are counted, so that holds of one customer are decided one after the other, on every node.
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

// Locks all customers and reads their seats, with one statement each per concert. For each hold: true: within
// the limits; false: refused, or undecided without another read; the caller decides it alone. Precondition:
// each customer of a concert occurs once.
std::vector<bool> CheckCustomers(Connection& connection, const std::vector<CustomerHold>& holds);

}  // namespace maejin::mysql
