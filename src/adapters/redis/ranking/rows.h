// Concerts and schedules as rows of a board, for code that is the same for both.
#pragma once

#include <utility>
#include <vector>

#include "adapters/redis/ranking/keys.h"
#include "adapters/redis/ranking/retention.h"
#include "domain/ranking/ranking.h"
#include "store/ranking_history.h"

namespace maejin::redis {

template <class SoldOut>
inline constexpr BoardSource kSourceOf = BoardSource::kSoldOutConcerts;
template <>
inline constexpr BoardSource kSourceOf<ScheduleSoldOut> = BoardSource::kSoldOutSchedules;

inline std::int64_t IdOf(const ConcertSoldOut& row) { return row.concert; }
inline std::int64_t IdOf(const ScheduleSoldOut& row) { return row.schedule; }

inline RankedConcert Describe(const ConcertSoldOut& row, std::int64_t index) {
  return {.rank = index + 1,
          .concert = row.concert,
          .title = row.title,
          .artist = row.artist,
          .venue = row.venue,
          .dates = row.dates,
          .booking_open_at = row.booking_open_at,
          .sold_out_at = row.sold_out_at};
}

inline RankedSchedule Describe(const ScheduleSoldOut& row, std::int64_t index) {
  return {.rank = index + 1,
          .schedule = row.schedule,
          .concert = row.concert,
          .concert_date = row.concert_date,
          .started_at = row.started_at,
          .sold_out_at = row.sold_out_at};
}

inline std::int64_t IdOf(const RankedConcert& entry) { return entry.concert; }
inline std::int64_t IdOf(const RankedSchedule& entry) { return entry.schedule; }

template <class SoldOut>
using PageOf = RankingPage<decltype(Describe(std::declval<const SoldOut&>(), 0))>;

// The boards that the row belongs on and Redis keeps.
template <class SoldOut>
std::vector<BoardWindow> KeptBoards(const SoldOut& row, const BoardRetention& retention) {
  std::vector<BoardWindow> kept;
  const auto day = retention.zone().LocalDay(row.sold_out_at);
  for (const auto& board : Boards()) {
    const BoardWindow window{board.id, WindowOf(board.window, day)};
    if (board.source == kSourceOf<SoldOut> && retention.IsKept(window)) kept.push_back(window);
  }
  return kept;
}

// At most `count` rows of the database with ids above `after`, ascending.
template <class SoldOut>
Task<Outcome<std::vector<SoldOut>>> RowsAfter(RankingHistory& history, std::int64_t after,
                                              std::size_t count) {
  if constexpr (kSourceOf<SoldOut> == BoardSource::kSoldOutConcerts) {
    return history.ConcertsAfter(after, count);
  } else {
    return history.SchedulesAfter(after, count);
  }
}

// The rows of the database with these ids, in any order.
template <class SoldOut>
Task<Outcome<std::vector<SoldOut>>> RowsWith(RankingHistory& history, std::vector<std::int64_t> ids) {
  if constexpr (kSourceOf<SoldOut> == BoardSource::kSoldOutConcerts) {
    return history.ConcertsWith(std::move(ids));
  } else {
    return history.SchedulesWith(std::move(ids));
  }
}

}  // namespace maejin::redis
