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

  // Replaces cached rows that differ from `rows`, which were just read from the database. Returns their
  // number.
  template <class SoldOut>
  std::int64_t Refresh(const std::vector<SoldOut>& rows);

  // `corrections` of ranking:state: a node removed or corrected rows since the last call where it changed.
  void Follow(std::int64_t corrections);
  void Clear();

 private:
  // Rows used since the last turn, and those of the turn before. When the first is full, the second is
  // dropped.
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
  std::uint64_t version_ = 0;  // a read of the database that a Clear() overtook is not cached
  std::int64_t corrections_ = 0;
};

}  // namespace maejin::redis
