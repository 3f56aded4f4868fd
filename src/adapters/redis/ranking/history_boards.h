// Boards read from the database: windows that Redis no longer keeps, and all windows while Redis is
// unavailable or incomplete. Sold-out boards are cached for a second, so that many reads within it cost one
// query.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "domain/ranking/progress_board.h"
#include "store/ranking_history.h"

namespace maejin::redis {

// Thread-safe.
class HistoryBoards {
 public:
  HistoryBoards(RankingHistory& history, TimeZone zone) : history_(history), zone_(zone) {}

  // The whole board as it is now, in its order and with the rows beyond the cap. Refuses: kUnavailable.
  template <class SoldOut>
  Task<Outcome<std::vector<SoldOut>>> Read(BoardWindow board);
  // The same board, at most a second old.
  template <class SoldOut>
  Task<Outcome<std::shared_ptr<const std::vector<SoldOut>>>> SoldOuts(BoardWindow board);
  Task<Outcome<std::vector<RankedProgress>>> Progress(BoardWindow board);

  // Call after the boards changed. Clears the cache; the result of a read in flight is not cached either.
  void Invalidate();

 private:
  template <class SoldOut>
  struct CachedRead {
    std::chrono::steady_clock::time_point read_at;
    std::shared_ptr<const std::vector<SoldOut>> rows;
  };
  template <class SoldOut>
  using Cache = std::map<BoardWindow, CachedRead<SoldOut>>;

  TimeRange RangeOf(const Window& window) const;
  Task<Outcome<std::vector<ConcertSoldOut>>> Load(TimeRange range, const ConcertSoldOut*) {
    return history_.ConcertsIn(range);
  }
  Task<Outcome<std::vector<ScheduleSoldOut>>> Load(TimeRange range, const ScheduleSoldOut*) {
    return history_.SchedulesIn(range);
  }
  Cache<ConcertSoldOut>& CacheOf(const ConcertSoldOut*) { return concerts_; }
  Cache<ScheduleSoldOut>& CacheOf(const ScheduleSoldOut*) { return schedules_; }

  RankingHistory& history_;
  const TimeZone zone_;
  std::mutex mutex_;
  std::uint64_t version_ = 0;  // guarded by mutex_, like the caches
  Cache<ConcertSoldOut> concerts_;
  Cache<ScheduleSoldOut> schedules_;
};

}  // namespace maejin::redis
