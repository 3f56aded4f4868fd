// Imported sell-outs bring ids of their own, which must not be those of concerts of this server.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_set>

#include "domain/booking/booking_event.h"
#include "domain/ranking/ranking.h"

namespace maejin::embedded {

// Asked for every imported concert and its dates: kNew, or which of them belong to a concert of this server.
using ReserveIds = std::function<Imported(ConcertId, std::span<const ScheduleSoldOut>)>;

// Ids of sell-outs that are there or on their way. Not thread-safe.
struct SoldOutIds {
  // kNew where none of the history's is here.
  Imported Look(const SoldOutHistory& history) const {
    if (concerts.contains(history.concert.concert)) return Imported::kKnown;
    const bool taken = std::any_of(history.schedules.begin(), history.schedules.end(),
                                   [&](const auto& date) { return schedules.contains(date.schedule); });
    return taken ? Imported::kScheduleTaken : Imported::kNew;
  }
  void Add(const SoldOutHistory& history) {
    concerts.insert(history.concert.concert);
    for (const auto& date : history.schedules) schedules.insert(date.schedule);
  }

  std::unordered_set<ConcertId> concerts;
  std::unordered_set<ScheduleId> schedules;
};

}  // namespace maejin::embedded
