// The limits of one customer: seats in a concert and on a date, and a cool-down after holds that were not
// paid. Both booking stores decide by these functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "domain/refusal.h"

namespace maejin {

struct ConcertDetails;

// The defaults of a new concert.
inline constexpr std::int32_t kDefaultSeatsPerUser = 8;
inline constexpr Seconds kDefaultCooldown{60};

// The latest unpaid holds of one customer and date that expired or were cancelled. Cancelling counts as well:
// otherwise a customer cancels just before the deadline, holds again, and blocks the seats for ever.
class UnpaidHolds {
 public:
  // The cool-down begins with the third end within this time.
  static constexpr std::size_t kAllowed = 3;
  static constexpr Seconds kWithin{600};

  void Add(Time ended_at);
  // Removes the end of a hold, because a late payment got its seats after all.
  void Remove(Time ended_at);
  // When the cool-down ends; absent: there is none.
  std::optional<Time> CooldownEnd(Seconds cooldown) const;

 private:
  std::array<Time, kAllowed> ends_{};  // newest first; Time{}: no such hold
};

// What a customer has of a concert, held or paid.
struct CustomerSeats {
  std::int64_t in_concert = 0;
  std::int64_t on_date = 0;
  UnpaidHolds unpaid = {};  // of the date
};

bool HasLimits(const ConcertDetails& details);

// May the customer hold `more` seats? Refuses in this order: kTooManyRequests (cool-down), kTooManySeats.
Outcome<Done> CheckLimits(const ConcertDetails& details, const CustomerSeats& customer, std::size_t more,
                          Time now);

}  // namespace maejin
