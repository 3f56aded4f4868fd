// The port of bookings: concerts, seats, reservations, payments, sold-outs. The authority for seats and money.
// Every call is one whole transition, atomic and durable before it returns; the time is an argument; refusals are
// named and change nothing. Thread-safe.
#pragma once

#include <optional>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

// How much of a concert is left.
struct Stock {
  std::int64_t total = 0;      // for sale: without BLOCKED seats
  std::int64_t available = 0;  // AVAILABLE
  std::int64_t held = 0;       // HELD or being paid: may come back
};

class BookingStore {
 public:
  virtual ~BookingStore() = default;

  // Without waiting and without a lock that others hold for long: asked on the poll path. Absent: no such concert.
  virtual std::optional<Stock> StockAtOnce(ConcertId concert) const = 0;
};

}  // namespace maejin
