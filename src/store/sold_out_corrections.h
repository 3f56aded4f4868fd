// The port of the operators' corrections of sell-outs. The boards show a correction after the next
// RankingStore::Rebuild(). Each correction is durable when the call returns. Each call may refuse with
// kUnavailable. Thread-safe.
#pragma once

#include <string>

#include "base/task.h"
#include "base/time.h"
#include "domain/ranking/ranking.h"
#include "domain/refusal.h"

namespace maejin {

// A date of the correction has the id of a date of another concert.
inline Refused ScheduleTaken(ScheduleId schedule) {
  return {Refusal::kInvalidField,
          "schedules: the id " + std::to_string(schedule) + " belongs to another concert"};
}

class SoldOutCorrections {
 public:
  virtual ~SoldOutCorrections() = default;

  // Removes the sell-out from every board; it is not imported again. A repeated call changes nothing.
  // Refuses: kNotRanked (no such sell-out).
  virtual Task<Outcome<Done>> Remove(ConcertId concert, Time now) = 0;
  // Replaces an imported sell-out, also one that was removed. Refuses: kNotRanked (none was imported),
  // kInvalidField (ScheduleTaken()).
  // Precondition: the history is complete, its times are in order, and its ids are set
  // (domain/ranking/import_ids.h).
  virtual Task<Outcome<Done>> Correct(SoldOutHistory history) = 0;
};

}  // namespace maejin
