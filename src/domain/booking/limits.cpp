#include "domain/booking/limits.h"

#include <algorithm>
#include <functional>

#include "domain/booking/booking_requests.h"

namespace maejin {
namespace {

Refused TooManySeats(std::string_view name, std::int64_t limit, std::int64_t taken) {
  const auto remaining = std::max<std::int64_t>(limit - taken, 0);
  return {Refusal::kTooManySeats, Quota{.name = name,
                                        .limit = static_cast<std::uint64_t>(limit),
                                        .remaining = static_cast<std::uint64_t>(remaining)}};
}

}  // namespace

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
    const Quota quota{.name = "unpaid-holds",
                      .limit = UnpaidHolds::kAllowed,
                      .window_seconds = static_cast<std::uint32_t>(UnpaidHolds::kWithin.count())};
    Refused refused{Refusal::kTooManyRequests, quota, "too many holds that were not paid"};
    refused.retry_after_seconds = static_cast<std::uint32_t>(std::chrono::ceil<Seconds>(*end - now).count());
    return refused;
  }
  const auto wanted = static_cast<std::int64_t>(more);
  if (details.max_seats_per_user > 0 && customer.in_concert + wanted > details.max_seats_per_user)
    return TooManySeats("seats", details.max_seats_per_user, customer.in_concert);
  if (details.max_seats_per_date > 0 && customer.on_date + wanted > details.max_seats_per_date)
    return TooManySeats("seats-per-date", details.max_seats_per_date, customer.on_date);
  return Done{};
}

}  // namespace maejin
