// The port of seat locks, against the race of two buyers for one seat. The locks are advisory: the seat's row
// in the database decides. While the lock service is unavailable, Take() succeeds without a lock.
// Thread-safe.
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
  // Its destructor releases the locks, without waiting.
  class Lease {
   public:
    virtual ~Lease() = default;
  };

  virtual ~SeatLock() = default;
  // Waits for each lock, in the order of seat numbers. Refuses: kSeatHeld (a lock did not become free in
  // time).
  virtual Task<Outcome<std::unique_ptr<Lease>>> Take(SeatChoice choice) = 0;
};

}  // namespace maejin
