// The port of the rankings: projections of booking history. Everything here can be thrown away and rebuilt
// from it. Every call is one whole step; the time is an argument. Thread-safe.
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

  // Applies events to every board they belong on. Applied twice, or out of order, they change nothing more: a
  // sold-out is known by its concert or schedule (the first stands), progress by the event's id.
  virtual Task<Outcome<Done>> Apply(std::vector<BookingEvent> events) = 0;

  // The page may be shorter than asked, or empty. Windows past their retention are read from the database.
  virtual Task<Outcome<RankingPage<RankedConcert>>> Concerts(PageQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedSchedule>>> Schedules(PageQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedProgress>>> Progress(PageQuery query) = 0;

  // The entry and its neighbours, in order. Refuses: kNotRanked.
  virtual Task<Outcome<RankingPage<RankedConcert>>> ConcertRank(RankQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedSchedule>>> ScheduleRank(RankQuery query) = 0;
  // Refuses: kNotRanked (no seat reserved).
  virtual Task<Outcome<RankedProgress>> ProgressOf(BoardWindow board, Date concert_date) = 0;
  virtual Task<Outcome<RankedProgress>> ProgressOfSchedule(ScheduleId schedule) = 0;

  // Absent: not sold out. Booking asks for a concert's own answer.
  virtual Task<Outcome<std::optional<ConcertRanks>>> RanksOf(ConcertId concert) = 0;
  // The instant of its sell-out; absent: not sold out.
  virtual Task<Outcome<std::optional<Time>>> SoldOutAt(ConcertId concert) = 0;

  // Writes past sell-outs and ranks them. Element i tells whether history i was new (true) or was there
  // already. Precondition: each is whole and its times are in order (usecase/import_soldouts.h). Refuses:
  // kUnavailable.
  virtual Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) = 0;

  // Makes every board anew from the database while the old ones serve. The result is the same, byte for byte.
  virtual Task<Outcome<Done>> Rebuild() = 0;
  // Drops the boards of windows that ended before `before`, and does not build them again. The sold-outs stay
  // in the database, from where those windows are still answered.
  virtual Task<Outcome<PruneReport>> Prune(Date before) = 0;
  // Compares a part of the boards with the database, the next part at the next call, and repairs what
  // differs.
  virtual Task<Outcome<ReconcileReport>> Reconcile() = 0;

  // Lets windows past their retention go.
  virtual void Tick(Time now) = 0;

  // Without waiting. Absent where the store cannot know (its boards are shared with others).
  virtual std::optional<RankingVersions> VersionsAtOnce() const = 0;

  // Called after every new sold-out, on the thread that applied it. Set before the first event; must not
  // block.
  virtual void OnMovement(std::function<void(const RankingMovement&)> listener) = 0;
};

}  // namespace maejin
