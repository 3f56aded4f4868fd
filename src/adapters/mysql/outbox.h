// The outbox: what bookings tell the rest of the program, written in the transaction that made it true.
#pragma once

#include <functional>
#include <vector>

#include "adapters/mysql/pool.h"
#include "domain/booking/booking_event.h"

namespace maejin::mysql {

// Events with ids above `after`, ascending, at most `limit`.
std::vector<BookingEvent> ReadOutbox(Connection& connection, std::uint64_t after, std::size_t limit);

// Hands the outbox on, from every node at once: a node takes the turn of a concert that nobody else has (SKIP
// LOCKED), tells its events in the order of their ids, and removes them when that has succeeded. At least
// once: a node that dies in between leaves them to the next.
class OutboxRelay {
 public:
  // False: they were not taken, and come again.
  using Apply = std::function<bool(std::vector<BookingEvent>)>;

  OutboxRelay(Pool& pool, Apply apply) : pool_(pool), apply_(std::move(apply)) {}

  // Hands on what there is for one concert, and returns how many events; 0: nothing to do. Blocks. Refuses:
  // kUnavailable.
  Outcome<std::size_t> RunOnce();
  // Until there is nothing left. Returns how many events.
  Outcome<std::size_t> RunUntilEmpty();

 private:
  Pool& pool_;
  Apply apply_;
};

}  // namespace maejin::mysql
