// Detects pauses of the process and outages of the disk. Polls are not counted during either, so no fan is
// removed for not polling.
#pragma once

#include <atomic>
#include <optional>

#include "adapters/embedded/journal.h"
#include "adapters/embedded/pause_watch.h"
#include "adapters/embedded/waiting_room/room.h"

namespace maejin::embedded {

// Thread-safe.
class PauseDetector {
 public:
  // If no Observe() comes for `pause_after`, the process was paused. Absent: time may jump (tests). Journal
  // outlives it.
  PauseDetector(const Journal& journal, std::optional<Millis> pause_after)
      : journal_(journal), pauses_(pause_after) {}

  // Call at every tick. ApplyTo() calls it too.
  void Observe(Time now);
  // Call first in every transition of a room, under its lock. After a pause, all fans of the room count as
  // seen at the end of the pause, and turns and slots are extended by its length.
  void ApplyTo(Room& room, Time now);

 private:
  const Journal& journal_;
  PauseWatch pauses_;
  std::atomic<std::int64_t> outage_ended_ms_{0};  // of the newest outage of the disk
  std::atomic<bool> disk_refused_{false};
};

}  // namespace maejin::embedded
