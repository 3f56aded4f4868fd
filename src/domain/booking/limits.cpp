#include "domain/booking/limits.h"

#include <algorithm>
#include <functional>

#include "domain/booking/concert.h"

namespace maejin {

void UnpaidHolds::Add(Time ended_at) {
  if (ended_at <= ends_.back()) return;
  ends_.back() = ended_at;
  std::sort(ends_.begin(), ends_.end(), std::greater<>());
}

void UnpaidHolds::Remove(Time ended_at) {
  const auto found = std::find(ends_.begin(), ends_.end(), ended_at);
  if (found == ends_.end()) return;
  *found = Time{};
  std::sort(ends_.begin(), ends_.end(), std::greater<>());
}

std::optional<Time> UnpaidHolds::CooldownEnd(Seconds cooldown) const {
  if (ends_.back() == Time{} || ends_.front() - ends_.back() > kWithin) return {};
  return ends_.front() + cooldown;
}

bool HasLimits(const ConcertDetails& details) {
  return details.max_seats_per_user > 0 || details.max_seats_per_date > 0 || details.cooldown > Seconds{0};
}

Outcome<Done> CheckLimits(const ConcertDetails& details, const CustomerSeats& customer, std::size_t more,
                          Time now) {
  const auto end =
      details.cooldown > Seconds{0} ? customer.unpaid.CooldownEnd(details.cooldown) : std::nullopt;
  if (end && now < *end) {
    Refused refused{Refusal::kTooManyRequests, "too many holds that were not paid"};
    refused.retry_after_seconds = static_cast<std::uint32_t>(std::chrono::ceil<Seconds>(*end - now).count());
    return refused;
  }
  const auto wanted = static_cast<std::int64_t>(more);
  if (details.max_seats_per_user > 0 && customer.in_concert + wanted > details.max_seats_per_user)
    return Refusal::kTooManySeats;
  if (details.max_seats_per_date > 0 && customer.on_date + wanted > details.max_seats_per_date)
    return Refusal::kTooManySeats;
  return Done{};
}

}  // namespace maejin
