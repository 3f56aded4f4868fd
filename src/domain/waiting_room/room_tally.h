// Counts of one room since it was created, for the sale report.
#pragma once

#include <cstdint>
#include <map>

namespace maejin {

struct RoomTally {
  std::int64_t arrivals = 0;    // places given
  std::int64_t admissions = 0;  // slots given
  std::int64_t no_shows = 0;    // turns not taken, and slots never used
  std::int64_t waiting = 0;     // now
  std::int64_t inside = 0;      // now
  // Fans by the whole seconds that they waited: from joining, or from the opening if that was later, until
  // the admission.
  std::map<std::int64_t, std::int64_t> waits = {};
  // False: the counts began after the room's first place, or a part was lost. They are lower bounds.
  bool complete = true;
};

// The smallest wait that at least `percent` of the fans did not exceed (nearest rank); 0 without fans.
inline std::int64_t WaitPercentile(const RoomTally& tally, std::int64_t percent) {
  std::int64_t fans = 0;
  for (const auto& [seconds, count] : tally.waits) fans += count;
  const auto rank = (fans * percent + 99) / 100;
  std::int64_t seen = 0;
  for (const auto& [seconds, count] : tally.waits) {
    seen += count;
    if (seen >= rank) return seconds;
  }
  return 0;
}

}  // namespace maejin
