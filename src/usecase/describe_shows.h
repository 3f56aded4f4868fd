// Adds to rows of boards what the boards do not hold: names of concerts, and seats for sale.
#pragma once

#include <optional>
#include <vector>

#include "base/task.h"
#include "store/booking_store.h"
#include "store/ranking_store.h"

namespace maejin {

// Thread-safe. The references outlive it. `rows` outlive the returned task.
class DescribeShows {
 public:
  DescribeShows(BookingStore& bookings, RankingStore& rankings) : bookings_(bookings), rankings_(rankings) {}

  // A concert that neither store has, or that cannot be read now, stays without names: boards are read
  // during an outage, too.
  Task<void> operator()(std::vector<RankedSchedule>& rows);
  Task<void> operator()(std::vector<RankedProgress>& rows);

 private:
  Task<std::optional<ShowView>> Find(ScheduleId schedule);

  BookingStore& bookings_;
  RankingStore& rankings_;
};

}  // namespace maejin
