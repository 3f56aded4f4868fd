#include "adapters/embedded/waiting_room/pause_detector.h"

#include <algorithm>

namespace maejin::embedded {

void PauseDetector::Observe(Time now) {
  const auto now_ms = ToMillis(now);
  if (!journal_.Accepting()) {
    disk_refused_.store(true, std::memory_order_relaxed);
  } else if (disk_refused_.load(std::memory_order_relaxed) && disk_refused_.exchange(false)) {
    outage_ended_ms_ = now_ms;
  }
  pauses_.Notice(now);
}

void PauseDetector::ApplyTo(Room& room, Time now) {
  Observe(now);
  const auto ended_ms =
      std::max(outage_ended_ms_.load(std::memory_order_relaxed), ToMillis(pauses_.resumed()));
  if (room.presence_reset_ms >= ended_ms) return;
  room.presence_reset_ms = ended_ms;
  const auto paused = pauses_.total() - room.paused;
  room.paused += paused;
  room.line.ResetPresence(TimeFromMillis(ended_ms), paused);
}

}  // namespace maejin::embedded
