// Sold-out rows by id: cached on this node, read from the database otherwise. Redis has only ids and scores.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "adapters/redis/ranking/rows.h"
#include "store/ranking_history.h"

namespace maejin::redis {

// Thread-safe.
class SoldOutRows {
 public:
  template <class SoldOut>
  using ById = std::unordered_map<std::int64_t, SoldOut>;

  // `history` outlives it.
  explicit SoldOutRows(RankingHistory& history) : history_(history) {}

  // Unknown ids are absent from the result. Refuses: kUnavailable.
  template <class SoldOut>
  Task<Outcome<ById<SoldOut>>> Find(std::vector<std::int64_t> ids);

  // Replaces cached rows that differ from `rows`, which were just read from the database, and returns their
  // number. Also caches new rows while there is room: reads then continue during an outage of the database.
  template <class SoldOut>
  std::int64_t Refresh(const std::vector<SoldOut>& rows);

  // `corrections`: the count of ranking:state. If the count has changed since the last call, a node removed
  // or corrected rows, so the cache is cleared.
  void Follow(std::int64_t corrections);
  void Clear();

 private:
  // A cache of two generations. When `recent` is full, it replaces `older`.
  template <class SoldOut>
  struct Cache {
    ById<SoldOut> recent;
    ById<SoldOut> older;
  };
  static constexpr std::size_t kRecentRows = 32'768;

  template <class SoldOut>
  Cache<SoldOut>& CacheOf() {
    if constexpr (kSourceOf<SoldOut> == BoardSource::kSoldOutConcerts) {
      return concerts_;
    } else {
      return schedules_;
    }
  }
  template <class SoldOut>
  static void Keep(Cache<SoldOut>& cache, const SoldOut& row);
  void ClearLocked();

  RankingHistory& history_;
  std::mutex mutex_;  // guards the rest
  Cache<ConcertSoldOut> concerts_;
  Cache<ScheduleSoldOut> schedules_;
  std::uint64_t version_ = 0;  // increases when the cache is cleared; a read that began before is not cached
  std::int64_t corrections_ = 0;
};

}  // namespace maejin::redis
