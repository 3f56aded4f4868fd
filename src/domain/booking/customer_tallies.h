// What each customer has in one concert, and until when its cool-down lasts. Kept only where the concert has
// limits.
#pragma once

#include <unordered_map>

#include "domain/booking/booking_rules.h"

namespace maejin {

class CustomerTallies {
 public:
  // Without limits nothing is counted.
  explicit CustomerTallies(bool has_limits) : has_limits_(has_limits) {}

  // Seats of the reservation were taken (`sign` +1) or came back (-1).
  void Count(const Reservation& reservation, std::int64_t sign) {
    if (!has_limits_) return;
    auto& entry = entries_[reservation.user];
    const auto seats = sign * static_cast<std::int64_t>(reservation.seats.size());
    entry.seats += seats;
    entry.by_date[reservation.schedule] += seats;
  }
  void CoolDown(const UserId& user, Time until) { entries_[user].cooldown_until = until; }

  CustomerTally Of(const UserId& user, ScheduleId schedule) const {
    const auto found = entries_.find(user);
    if (found == entries_.end()) return {};
    const auto& entry = found->second;
    const auto date = entry.by_date.find(schedule);
    return {entry.seats, date == entry.by_date.end() ? 0 : date->second, entry.cooldown_until};
  }

 private:
  struct Entry {
    std::int64_t seats = 0;
    std::unordered_map<ScheduleId, std::int64_t> by_date;
    Time cooldown_until{};
  };
  bool has_limits_;
  std::unordered_map<UserId, Entry> entries_;
};

}  // namespace maejin
