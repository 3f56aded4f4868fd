// The port of the rankings: projections of the booking history, from which they can be rebuilt. Every call is
// one transition. Thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/task.h"
#include "domain/booking/booking_event.h"
#include "domain/ranking/board.h"
#include "domain/ranking/ranking.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

class RankingStore {
 public:
  virtual ~RankingStore() = default;

  // Applies events to their boards. Events may be repeated and may come in any order: the boards keep the
  // first sold-out of each concert and schedule, and count progress once per event id. Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Apply(std::vector<BookingEvent> events) = 0;

  // Ranks a sell-out whose transaction has committed, without waiting for its event. `concert` 0: only the
  // date is sold out. If the store is unavailable nothing changes: the relay applies the event later.
  virtual Task<void> RankCommitted(ScheduleId schedule, ConcertId concert) = 0;

  // The page may be shorter than requested. Windows past their retention are read from the database.
  virtual Task<Outcome<RankingPage<RankedConcert>>> Concerts(PageQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedSchedule>>> Schedules(PageQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedProgress>>> Progress(PageQuery query) = 0;

  // The entry and its neighbours, in order. Refuses: kNotRanked.
  virtual Task<Outcome<RankingPage<RankedConcert>>> ConcertRank(RankQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedSchedule>>> ScheduleRank(RankQuery query) = 0;
  // Refuses: kNotRanked (no seat reserved).
  virtual Task<Outcome<RankedProgress>> ProgressOf(BoardWindow board, Date concert_date) = 0;

  // The names of concerts, from their sell-outs. Element i belongs to concert i; empty: the concert is not
  // sold out. Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<ConcertNames>>> NamesOf(std::vector<ConcertId> concerts) = 0;
  // Absent: not sold out.
  virtual Task<Outcome<std::optional<ConcertRanks>>> RanksOf(ConcertId concert) = 0;
  // Element i belongs to schedule i. Absent: not sold out.
  virtual Task<Outcome<std::vector<std::optional<ScheduleRanks>>>> RanksOfSchedules(
      std::vector<ScheduleId> schedules) = 0;
  // Absent: not sold out.
  virtual Task<Outcome<std::optional<Time>>> SoldOutAt(ConcertId concert) = 0;
  virtual Task<Outcome<std::optional<Time>>> ScheduleSoldOutAt(ScheduleId schedule) = 0;

  // Writes past sell-outs and ranks them. Element i is the result of history i. Precondition: each is
  // complete and its times are in order (usecase/import_soldouts.h). Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) = 0;

  // Rebuilds every board from the database while reads go on. Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Rebuild() = 0;
  // Drops the boards of windows that ended before `before`, for ever. These windows are then read from the
  // database, which keeps the sold-outs.
  virtual Task<Outcome<PruneReport>> Prune(Date before) = 0;
  // Compares some rows of the boards with the database and repairs differences; the next call continues with
  // the next rows.
  virtual Task<Outcome<ReconcileReport>> Reconcile() = 0;

  // Drops windows past their retention. Called about once a second; does not block.
  virtual void Tick(Time now) = 0;

  // Never waits. Absent: other nodes change the boards, too, and this node cannot count their changes.
  virtual std::optional<RankingVersions> VersionsAtOnce() const = 0;

  // The store calls `listener` after every new sold-out, on the thread that applied the sold-out or received
  // it from another node. `listener` must not block. Call OnMovement() before the first event.
  virtual void OnMovement(std::function<void(const RankingMovement&)> listener) = 0;
};

}  // namespace maejin
