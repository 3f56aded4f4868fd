// Keeps the ids of imported sell-outs apart from the ids of this server's concerts.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_set>

#include "domain/booking/booking_event.h"
#include "domain/ranking/ranking.h"

namespace maejin::embedded {

// Reserves the ids of one imported concert and its dates. Returns kNew, or which of them belong to a concert
// of this server.
using ReserveIds = std::function<Imported(ConcertId, std::span<const ScheduleSoldOut>)>;

// Ids of sell-outs that are stored or being imported. Not thread-safe.
struct SoldOutIds {
  // kNew: no id of the history is known.
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
