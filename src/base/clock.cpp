#include "base/clock.h"

namespace maejin {

Time SystemClock::Now() const {
  const auto wall =
      ToMillis(std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()));
  auto latest = latest_ms_.load(std::memory_order_relaxed);
  while (wall > latest) {
    if (latest_ms_.compare_exchange_weak(latest, wall, std::memory_order_relaxed)) return TimeFromMillis(wall);
  }
  return TimeFromMillis(latest);
}

}  // namespace maejin
