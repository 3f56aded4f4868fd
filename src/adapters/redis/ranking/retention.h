// Decides which board windows Redis keeps, and when their keys expire.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/time_zone.h"
#include "domain/ranking/board.h"

namespace maejin::redis {

// Days since 1970-01-01.
inline std::int64_t DayNumber(Date day) { return std::chrono::sys_days{day}.time_since_epoch().count(); }

// Thread-safe.
class BoardRetention {
 public:
  // `expire` is false for tests whose clock differs from Redis's clock: keys then get no expiry.
  BoardRetention(TimeZone zone, Time now, bool expire)
      : zone_(zone), expire_(expire), now_ms_(ToMillis(now)) {}

  const TimeZone& zone() const { return zone_; }
  Time now() const { return TimeFromMillis(now_ms_.load(std::memory_order_relaxed)); }
  // Earlier times are ignored.
  void AdvanceTo(Time now);

  // Sold-out boards of windows that ended before this day are pruned. A day as DayNumber() counts it.
  std::int64_t pruned_before() const { return pruned_before_.load(std::memory_order_relaxed); }
  void set_pruned_before(Date day);
  // `day`: pruned_before() as another node wrote it to Redis. An earlier day is ignored.
  void RaisePrunedBefore(std::int64_t day);

  // False: read the window from the database.
  bool IsKept(const BoardWindow& board) const;
  // Milliseconds since 1970; "0": the key never expires.
  std::string ExpiryText(const BoardWindow& board) const;

 private:
  const TimeZone zone_;
  const bool expire_;
  std::atomic<std::int64_t> now_ms_;
  std::atomic<std::int64_t> pruned_before_{0};
};

}  // namespace maejin::redis
