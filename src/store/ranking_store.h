// The port of the rankings: projections of booking history. Everything here can be thrown away and rebuilt from it.
// Thread-safe.
#pragma once

#include <span>

#include "base/task.h"
#include "domain/booking_event.h"
#include "domain/refusal.h"

namespace maejin {

class RankingStore {
 public:
  virtual ~RankingStore() = default;

  // Applies events to every board they belong on. An event applied twice, or out of order, changes nothing more.
  virtual Task<Outcome<Done>> Apply(std::span<const BookingEvent> events) = 0;
};

}  // namespace maejin
