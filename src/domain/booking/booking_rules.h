// The rules of booking that every store applies: pure functions over one reservation and one payment. A store reads the
// records under its own lock, asks here, and writes what it is told.
#pragma once

#include "base/time.h"
#include "domain/booking/payment.h"
#include "domain/booking/reservation.h"

namespace maejin {

// A report about a payment: from its provider, or from the worker that abandons it.
struct PaymentReport {
  PaymentId payment;
  // kCaptured also where nobody knows yet whether the seats are available: the store finds out.
  PaymentChange change = PaymentChange::kCaptured;
  // The payment as it was read before the provider was asked. Where it changed since, the report is stale and refused.
  std::optional<Payment> seen = {};
};

bool IsStale(const PaymentReport& report, const Payment& current);

// The hold stands, and `payment` is the newest payment of it: captured money gets the held seats.
bool IsAwaited(const Reservation& reservation, const Payment& payment, bool newest, Time now);

// The hold expired, and `payment` is the newest payment of it: captured money gets the seats if all are available.
bool MayTakeAgain(const Reservation& reservation, bool newest);

}  // namespace maejin
