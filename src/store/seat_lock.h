// The lock of seats: keeps two buyers from racing for one seat. Advice only: the row of the seat decides, and where
// the lock cannot be asked nobody is kept from buying. Thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "base/task.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

struct SeatChoice {
  ConcertId concert = 0;
  ScheduleId schedule = 0;
  std::vector<SeatNumber> seats;
};

class SeatLock {
 public:
  // Gives the seats back when it ends, without waiting.
  class Lease {
   public:
    virtual ~Lease() = default;
  };

  virtual ~SeatLock() = default;
  // Waits for all of them, in the order of their numbers. Refuses: kSeatHeld (another is choosing one of them).
  virtual Task<Outcome<std::unique_ptr<Lease>>> Take(SeatChoice choice) = 0;
};

}  // namespace maejin
