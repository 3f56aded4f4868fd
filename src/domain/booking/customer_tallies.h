// Seats of each customer in one concert, and the customer's holds that ended unpaid. Kept only where the
// concert has limits.
#pragma once

#include <unordered_map>

#include "domain/booking/booking_requests.h"
#include "domain/booking/limits.h"
#include "domain/booking/reservation.h"

namespace maejin {

class CustomerTallies {
 public:
  explicit CustomerTallies(const ConcertDetails& details)
      : has_limits_(HasLimits(details)), has_cooldown_(details.cooldown > Seconds{0}) {}

  // Seats of the reservation were taken (`sign` +1) or came back (-1).
  void Count(const Reservation& reservation, std::int64_t sign) {
    if (!has_limits_) return;
    auto& entry = entries_[reservation.user];
    const auto seats = sign * static_cast<std::int64_t>(reservation.seats.size());
    entry.seats += seats;
    entry.by_date[reservation.schedule].seats += seats;
  }
  // Call with every reservation that ended or was loaded: an unpaid end counts for the cool-down.
  void CountUnpaid(const Reservation& reservation) {
    using enum ReservationStatus;
    const bool unpaid = reservation.status == kExpired || reservation.status == kCancelled;
    if (!unpaid || !reservation.ended_at || !has_cooldown_) return;
    entries_[reservation.user].by_date[reservation.schedule].unpaid.Add(*reservation.ended_at);
  }
  // Forgets that the hold ended unpaid, because a late payment got its seats after all. Precondition: the
  // reservation has ended.
  void ForgetUnpaid(const Reservation& reservation) {
    if (!has_cooldown_) return;
    entries_[reservation.user].by_date[reservation.schedule].unpaid.Remove(*reservation.ended_at);
  }

  void Rename(const UserId& user, const UserId& to) {
    auto entry = entries_.extract(user);
    if (entry.empty()) return;
    entry.key() = to;
    entries_.insert(std::move(entry));
  }

  CustomerSeats Of(const UserId& user, ScheduleId schedule) const {
    const auto found = entries_.find(user);
    if (found == entries_.end()) return {};
    const auto& entry = found->second;
    const auto date = entry.by_date.find(schedule);
    if (date == entry.by_date.end()) return {.in_concert = entry.seats};
    return {entry.seats, date->second.seats, date->second.unpaid};
  }

 private:
  struct DateEntry {
    std::int64_t seats = 0;
    UnpaidHolds unpaid;
  };
  struct Entry {
    std::int64_t seats = 0;
    std::unordered_map<ScheduleId, DateEntry> by_date;
  };
  bool has_limits_;
  bool has_cooldown_;
  std::unordered_map<UserId, Entry> entries_;
};

}  // namespace maejin
