// Concerts and schedules as rows of a board, for code that is the same for both.
#pragma once

#include "adapters/redis/ranking/keys.h"
#include "domain/ranking/ranking.h"

namespace maejin::redis {

template <class SoldOut>
inline constexpr BoardSource kSourceOf = BoardSource::kSoldOutConcerts;
template <>
inline constexpr BoardSource kSourceOf<ScheduleSoldOut> = BoardSource::kSoldOutSchedules;

inline std::int64_t IdOf(const ConcertSoldOut& row) { return row.concert; }
inline std::int64_t IdOf(const ScheduleSoldOut& row) { return row.schedule; }

template <class SoldOut>
std::optional<SoldOut> Unpack(std::string_view detail) {
  if constexpr (kSourceOf<SoldOut> == BoardSource::kSoldOutConcerts) {
    return UnpackConcert(detail);
  } else {
    return UnpackSchedule(detail);
  }
}

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

// The windows of one kind of board that a sold-out belongs on.
template <class SoldOut, class Visit>
void ForEachBoardOf(const SoldOut& row, const TimeZone& zone, Visit visit) {
  const auto day = zone.LocalDay(row.sold_out_at);
  for (const auto& board : Boards()) {
    if (board.source == kSourceOf<SoldOut>) visit(board, BoardWindow{board.id, WindowOf(board.window, day)});
  }
}

}  // namespace maejin::redis
