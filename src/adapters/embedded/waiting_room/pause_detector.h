// Detects pauses of the process and outages of the disk. No poll counted meanwhile, so no fan is removed for
// not polling.
#pragma once

#include <atomic>
#include <optional>

#include "adapters/embedded/journal.h"
#include "adapters/embedded/waiting_room/room.h"

namespace maejin::embedded {

// Thread-safe.
class PauseDetector {
 public:
  // The process was stopped if no Observe() came for `pause_after`. Absent: time may jump (tests). Journal
  // outlives it.
  PauseDetector(const Journal& journal, std::optional<Millis> pause_after)
      : journal_(journal), pause_after_(pause_after) {}

  // Call at every tick. ApplyTo() calls it too.
  void Observe(Time now);
  // Call first in every transition of a room, under its lock. After a pause, all fans of the room count as
  // seen at the end of the pause.
  void ApplyTo(Room& room, Time now);

 private:
  const Journal& journal_;
  const std::optional<Millis> pause_after_;
  std::atomic<std::int64_t> last_call_ms_{0};
  std::atomic<std::int64_t> pause_ended_ms_{0};  // of the newest pause or outage
  std::atomic<bool> disk_refused_{false};
};

}  // namespace maejin::embedded
