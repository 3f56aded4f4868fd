// Prometheus metrics of the waiting rooms. The number of series is bounded: totals over all rooms, and series
// of their own for the busiest rooms only.
#pragma once

#include <vector>

#include "base/metrics.h"
#include "store/waiting_room_store.h"

namespace maejin {

// Totals count from the start of the process. The `most` rooms with the most waiting and admitted fans get
// their own series; ties are ordered by name. Empty if `rooms` is empty.
std::vector<MetricFamily> MeasureRooms(std::vector<RoomStats> rooms, std::size_t most);

}  // namespace maejin
