// The durable side of the rankings: sold-outs and reserved seats as the database keeps them. Boards that lie
// elsewhere (in Redis) are made, checked and repaired from here, and answered from here while they are not
// there. Every call may wait for the disk or the network and refuses with kUnavailable. Thread-safe.
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
  Time until;  // not included
};

struct SoldOutCounts {
  std::int64_t concerts = 0;
  std::int64_t schedules = 0;
};

// The seats that are held or paid at one moment.
struct ReservedSeats {
  // Summed by schedule and at most a quarter of an hour of `held_at`: no zone's day begins within one.
  std::vector<ProgressChanged> seats;
  // Events whose effect is in `seats` and that may still be delivered: whoever counts `seats` must not count
  // them too.
  std::vector<std::uint64_t> pending;
};

class RankingHistory {
 public:
  virtual ~RankingHistory() = default;

  // At most `count` sold-outs with ids above `after`, ascending. Fewer than `count`: that was the last.
  virtual Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsAfter(ConcertId after, std::size_t count) = 0;
  virtual Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesAfter(ScheduleId after, std::size_t count) = 0;
  // Those sold out in a time, in any order.
  virtual Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsIn(TimeRange range) = 0;
  virtual Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesIn(TimeRange range) = 0;
  virtual Task<Outcome<SoldOutCounts>> Count() = 0;

  // Also refuses where no moment could be found at which seats and pending events agree (seats are being
  // reserved all the time): ask again later.
  virtual Task<Outcome<ReservedSeats>> Reserved() = 0;

  // Writes past sell-outs. Element i tells what became of history i; only what is new is written, whole.
  // Precondition: whole, times in order, ids given (domain/ranking/import_ids.h). Writes no events.
  virtual Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) = 0;

  // Boards of windows that ended before that day are not kept. 1970-01-01: nothing was pruned.
  virtual Task<Outcome<Date>> PrunedBefore() = 0;
  // Never goes back; durable when it returns. Returns the day that holds now.
  virtual Task<Outcome<Date>> Prune(Date before) = 0;
};

}  // namespace maejin
