#include "domain/waiting_room/entry_rate.h"

#include <algorithm>

namespace maejin {

using pacing::kCreditPerEntry;

// In claim mode a fan needs time to enter. So credit accrues for one turn while a fan is eligible: the rate
// then limits entries, not turns. Without an eligible fan no credit accrues, so that no burst follows.
std::int64_t EntryRate::Credit(const RoomSettings& settings, bool has_eligible, Time now) const {
  const std::int64_t rate = *settings.rate_per_minute;
  auto most = kCreditPerEntry;
  if (settings.admission == Admission::kClaim && has_eligible) {
    most = std::max(most, rate * Millis{settings.turn}.count());
  }
  const auto elapsed = std::max<std::int64_t>((now - credit_at_).count(), 0);
  return std::min(most, credit_ + elapsed * rate);
}

std::int64_t EntryRate::Allowed(const RoomSettings& settings, bool has_eligible, Time now) const {
  return Credit(settings, has_eligible, now) / kCreditPerEntry + no_shows_;
}

Time EntryRate::NextAt(const RoomSettings& settings) const {
  if (!settings.rate_per_minute || no_shows_ > 0 || credit_ >= kCreditPerEntry) return Time{};
  const std::int64_t rate = *settings.rate_per_minute;
  return credit_at_ + Millis{(kCreditPerEntry - credit_ + rate - 1) / rate};
}

void EntryRate::Settle(const RoomSettings& settings, bool has_eligible, Time now) {
  if (settings.rate_per_minute) credit_ = Credit(settings, has_eligible, now);
  credit_at_ = std::max(credit_at_, now);
}

void EntryRate::Spend(const RoomSettings& settings) {
  if (no_shows_ > 0) {
    --no_shows_;
  } else if (settings.rate_per_minute) {
    credit_ -= kCreditPerEntry;
  }
}

void EntryRate::AddNoShow(const RoomSettings& settings) {
  if (settings.rate_per_minute && no_shows_ < *settings.rate_per_minute) ++no_shows_;
}

void EntryRate::Restart(Time now) {
  credit_ = std::min(credit_, kCreditPerEntry);
  credit_at_ = now;
}

}  // namespace maejin
