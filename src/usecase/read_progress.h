// Reads the booking progress: the dates and schedules with the most reserved seats.
#pragma once

#include "usecase/read_ranking.h"

namespace maejin {

enum class ProgressBy : std::uint8_t { kDate, kSchedule };

struct ProgressQuestion {
  ProgressBy by = ProgressBy::kDate;
  WindowKind window = WindowKind::kAll;  // in which the seats were reserved
  std::optional<Date> at = {};
  std::int64_t first = 1;
  std::int64_t count = 10;
};

// Thread-safe. The references outlive it. Every Task may refuse with kUnavailable.
class ReadProgress {
 public:
  ReadProgress(RankingStore& store, BookingStore& bookings, TimeZone zone, const Clock& clock)
      : store_(store), describe_(bookings, store), zone_(zone), clock_(clock) {}

  // Refuses: kInvalidField (dates have daily, weekly and all-time boards; schedules only an all-time board).
  Task<Outcome<RankingAnswer<RankedProgress>>> Top(ProgressQuestion question);
  // Refuses: kNotRanked (no seat reserved), kInvalidField.
  Task<Outcome<RankedProgress>> OfDate(Date concert_date, WindowKind window, std::optional<Date> at);

 private:
  Outcome<BoardId> BoardFor(ProgressBy by, WindowKind window) const;

  RankingStore& store_;
  DescribeShows describe_;
  const TimeZone zone_;
  const Clock& clock_;
};

}  // namespace maejin
