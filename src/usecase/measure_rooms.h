// What Prometheus is told of the waiting rooms. Bounded, however many rooms there are: totals over all of them, and
// one series each for the rooms in which most people are.
#pragma once

#include <vector>

#include "base/metrics.h"
#include "store/waiting_room_store.h"

namespace maejin {

// The totals count from the start of the process. `most` rooms get series of their own: those with the most people
// waiting and inside, the first by name where they are equal. Empty where the store knows nothing to tell.
std::vector<MetricFamily> MeasureRooms(std::vector<RoomStats> rooms, std::size_t most);

}  // namespace maejin
