// The zone in which days, weeks and months begin. Knows the system's tz database; nothing else here does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace date {
class time_zone;
}

namespace maejin {

inline constexpr char kDefaultTimeZone[] = "Asia/Seoul";

// Immutable and thread-safe; cheap to copy.
class TimeZone {
 public:
  // A name of the tz database ("Asia/Seoul", "UTC"). Absent if the system does not know it.
  static std::optional<TimeZone> Find(std::string_view name);

  std::string name() const;
  // The calendar day that a clock on the wall shows at `instant`.
  Date LocalDay(Time instant) const;
  // The first instant of a day, also where a clock change skips or repeats its midnight.
  Time StartOf(Date day) const;

 private:
  explicit TimeZone(const date::time_zone* zone) : zone_(zone) {}

  const date::time_zone* zone_;  // owned by the tz database, lives as long as the program
};

}  // namespace maejin
