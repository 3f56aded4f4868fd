// A room that rests: while the site is quiet, its gate gives unknown visitors a slot at once, up to the
// capacity. Above a limit the room queues; well below it, it rests again. Pure decisions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "domain/waiting_room/settings.h"

namespace maejin {

// What a room that may rest has to bear at the moment.
struct RoomLoad {
  std::uint32_t arrivals_per_minute = 0;
  std::uint32_t entered = 0;
  std::uint32_t waiting = 0;
  std::uint32_t capacity = 0;
};

// Whether the room rests from now on. A resting room begins to queue above a limit, without a free slot, or
// when more visitors wait than slots are free. A queueing room rests again at four fifths of every limit and
// of the capacity, with an empty line. Between the two it stays as it is, so that it does not alternate.
bool RestsNext(bool rests, const Standby& standby, const RoomLoad& load);

// The arrivals of the last minute, from the growing count of all places that a room has ever had. Keeps one
// count per second. A count may repeat. A smaller count means that the room is new, and the window begins
// again.
class ArrivalWindow {
 public:
  void Count(std::uint64_t places, Time now);
  std::uint32_t LastMinute(Time now) const;

 private:
  static constexpr std::int64_t kSeconds = 60;
  struct Second {
    std::int64_t at = -1;      // since 1970
    std::uint64_t places = 0;  // before this second
  };

  std::array<Second, kSeconds> seconds_{};
  std::uint64_t places_ = 0;
  bool begun_ = false;
};

}  // namespace maejin
