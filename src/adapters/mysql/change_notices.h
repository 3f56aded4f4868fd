// Selects the changes that a node announces to the other nodes. Their mirrors then refresh at once.
//
// The other nodes refresh a schedule often for five seconds after a notice. So one notice a second is enough
// for a schedule with many changes. Sell-outs and changed concerts always cause a notice. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/mysql/booking_context.h"

namespace maejin::mysql {

class ChangeNotices {
 public:
  // The text of the next notice: ids of schedules, separated by blanks; "0": a concert changed. Absent: no
  // notice is due.
  std::optional<std::string> TextOf(const MirrorChanges& changes);

 private:
  std::mutex mutex_;
  std::unordered_map<ScheduleId, std::chrono::steady_clock::time_point> noticed_at_;  // guarded by mutex_
};

}  // namespace maejin::mysql
