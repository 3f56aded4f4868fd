#include "base/time_zone.h"

#include <stdexcept>

#include <date/tz.h>

namespace maejin {

std::optional<TimeZone> TimeZone::Find(std::string_view name) {
  try {
    return TimeZone(date::locate_zone(name));
  } catch (const std::runtime_error&) {
    return {};
  }
}

std::string TimeZone::name() const { return zone_->name(); }

Date TimeZone::LocalDay(Time instant) const {
  const auto info = zone_->get_info(instant);
  return Date{std::chrono::floor<std::chrono::days>(instant + info.offset)};
}

Time TimeZone::StartOf(Date day) const {
  const date::local_days local{date::days{std::chrono::sys_days{day}.time_since_epoch().count()}};
  return std::chrono::time_point_cast<Millis>(zone_->to_sys(local, date::choose::earliest));
}

std::string TimeZone::FormatMinute(Time instant) const {
  const auto info = zone_->get_info(instant);
  return date::format("%F %H:%M", std::chrono::floor<std::chrono::minutes>(instant + info.offset));
}

}  // namespace maejin
