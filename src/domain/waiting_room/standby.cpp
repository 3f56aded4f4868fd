#include "domain/waiting_room/standby.h"

#include <algorithm>

namespace maejin {
namespace {

std::int64_t SecondOf(Time time) { return ToMillis(time) / 1000; }

// False if there is no limit.
bool IsAbove(const std::optional<std::uint32_t>& limit, std::uint32_t value) {
  return limit && value > *limit;
}

bool IsWellBelow(const std::optional<std::uint32_t>& limit, std::uint32_t value) {
  return !limit || std::uint64_t{value} * 5 <= std::uint64_t{*limit} * 4;
}

}  // namespace

bool RestsNext(bool rests, const Standby& standby, const RoomLoad& load) {
  if (load.entered >= load.capacity) return false;
  if (rests) {
    // Visitors may wait for a moment before they enter, as long as each of them has a free slot.
    return load.waiting <= load.capacity - load.entered &&
           !IsAbove(standby.arrivals_per_minute, load.arrivals_per_minute) &&
           !IsAbove(standby.entered, load.entered);
  }
  return load.waiting == 0 && IsWellBelow(standby.arrivals_per_minute, load.arrivals_per_minute) &&
         IsWellBelow(standby.entered, load.entered) && IsWellBelow(load.capacity, load.entered);
}

void ArrivalWindow::Count(std::uint64_t places, Time now) {
  if (!begun_ || places < places_) {
    seconds_ = {};
    places_ = places;
    begun_ = true;
  }
  auto& second = seconds_[static_cast<std::size_t>(SecondOf(now) % kSeconds)];
  if (second.at != SecondOf(now)) second = {SecondOf(now), places_};
  places_ = places;
}

std::uint32_t ArrivalWindow::LastMinute(Time now) const {
  // The oldest count that is at most a minute old: places before it arrived earlier.
  auto before = places_;
  for (const auto& second : seconds_) {
    if (second.at >= 0 && second.at > SecondOf(now) - kSeconds) before = std::min(before, second.places);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(places_ - before, UINT32_MAX));
}

}  // namespace maejin
