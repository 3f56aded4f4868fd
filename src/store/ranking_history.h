// The port of the rankings' durable source: sold-outs and reserved seats in the database. Boards in Redis are
// built and repaired from here. While they are incomplete, reads come from here.
//
// Every call may wait for the disk or the network, and may refuse with kUnavailable. Thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/booking/booking_event.h"
#include "domain/ranking/ranking.h"
#include "domain/refusal.h"

namespace maejin {

struct TimeRange {
  Time from;
  Time until;  // the end, which is not included
};

struct SoldOutCounts {
  std::int64_t concerts = 0;
  std::int64_t schedules = 0;
};

// A snapshot of the held and paid seats.
struct ReservedSeats {
  // Summed by schedule and quarter hour of `held_at`: in every zone a day begins on a quarter hour.
  std::vector<ProgressChanged> seats;
  // Events that `seats` includes and that may still be delivered: a consumer of `seats` must skip them.
  std::vector<std::uint64_t> pending;
};

class RankingHistory {
 public:
  virtual ~RankingHistory() = default;

  // At most `count` sold-outs with ids above `after`, ascending. Fewer than `count`: there are no more.
  virtual Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsAfter(ConcertId after, std::size_t count) = 0;
  virtual Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesAfter(ScheduleId after, std::size_t count) = 0;
  // The sold-outs with these ids, in any order; unknown ids are left out.
  virtual Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsWith(std::vector<ConcertId> ids) = 0;
  virtual Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesWith(std::vector<ScheduleId> ids) = 0;
  // The sold-outs of a time range, in any order.
  virtual Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsIn(TimeRange range) = 0;
  virtual Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesIn(TimeRange range) = 0;
  virtual Task<Outcome<SoldOutCounts>> Count() = 0;

  // Also refuses if seats change too fast for a consistent snapshot of seats and pending events: retry later.
  virtual Task<Outcome<ReservedSeats>> Reserved() = 0;

  // Writes past sell-outs, without events. Element i is the result of history i; a known sell-out is not
  // written again. Precondition: each history is complete, its times are in order, and its ids are set
  // (domain/ranking/import_ids.h).
  virtual Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) = 0;

  // Boards of windows that ended before this day are not kept. 1970-01-01: nothing was pruned.
  virtual Task<Outcome<Date>> PrunedBefore() = 0;
  // Moves PrunedBefore() to `before`, never back. Durable when it returns. Returns PrunedBefore().
  virtual Task<Outcome<Date>> Prune(Date before) = 0;
};

}  // namespace maejin
