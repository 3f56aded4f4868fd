// The port of the operators' corrections of sell-outs. The boards follow with the next
// RankingStore::Rebuild(). Each call is durable when it returns, and may refuse with kUnavailable. Thread-
// safe.
#pragma once

#include "base/task.h"
#include "base/time.h"
#include "domain/ranking/ranking.h"
#include "domain/refusal.h"

namespace maejin {

class SoldOutCorrections {
 public:
  virtual ~SoldOutCorrections() = default;

  // Removes the sell-out from every board; it is not imported again. A repeated call changes nothing.
  // Refuses: kNotRanked (no such sell-out).
  virtual Task<Outcome<Done>> Remove(ConcertId concert, Time now) = 0;
  // Replaces an imported sell-out, also one that was removed. Refuses: kNotRanked (none was imported).
  // Precondition: complete, times in order, ids given (domain/ranking/import_ids.h).
  virtual Task<Outcome<Done>> Correct(SoldOutHistory history) = 0;
};

}  // namespace maejin
