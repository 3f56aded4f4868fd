// The time zone of days, weeks and months. The only user of the system's tz database.
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
  // The local calendar day at `instant`.
  Date LocalDay(Time instant) const;
  // The first instant of a day, also where a clock change skips or repeats its midnight.
  Time StartOf(Date day) const;
  // "2027-05-01 19:00", by the local clock.
  std::string FormatMinute(Time instant) const;

 private:
  explicit TimeZone(const date::time_zone* zone) : zone_(zone) {}

  const date::time_zone* zone_;  // owned by the tz database, lives as long as the program
};

}  // namespace maejin
