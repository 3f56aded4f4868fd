// The port of a sale's series: a bounded number of points of each concert. Thread-safe.
#pragma once

#include <utility>
#include <vector>

#include "base/task.h"
#include "domain/refusal.h"
#include "domain/report/sale_point.h"
#include "domain/words.h"

namespace maejin {

class SaleSeries {
 public:
  virtual ~SaleSeries() = default;

  using Points = std::vector<std::pair<ConcertId, SalePoint>>;
  // Stores the points, durable when this returns. A stored point of the same concert and time stays, so that
  // nodes that measure the same moment store it once; only the larger p99 of the two is kept. `expired` is
  // here the number of holds that expired on this node since its last point. The store adds it to the stored
  // point and to all later ones. Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Add(Points points) = 0;
  // Points later than `after`, ascending by time. Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<SalePoint>>> Read(ConcertId concert, Time after) = 0;
  // Of the points before `before`, keeps the last one in each span of this length. Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Thin(Time before, Millis span) = 0;
  // Deletes the points before this time. Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Forget(Time before) = 0;
};

}  // namespace maejin
