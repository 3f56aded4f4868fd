#include "domain/waiting_room/outflow.h"

#include <algorithm>
#include <cmath>

namespace maejin {

void Outflow::Count(Time now) {
  if (!window_) window_ = std::make_unique<Window>();
  auto& window = *window_;
  const auto step = ToMillis(now) / kStepMs;
  if (window.sum == 0) {
    window = Window{};
    window.first_ms = ToMillis(now);
    window.latest_step = step;
  }
  while (window.latest_step < step) {
    ++window.latest_step;
    auto& oldest = window.entries[static_cast<std::size_t>(window.latest_step % kSteps)];
    window.sum -= oldest;
    oldest = 0;
    if (window.sum == 0) window.latest_step = step;
  }
  ++window.entries[static_cast<std::size_t>(step % kSteps)];
  ++window.sum;
}

void Outflow::Reset() { window_.reset(); }

// Models entries as a Poisson process whose rate is estimated from `seen` entries. The time until n more
// entries has the mean n / rate and the relative variance 1/n + 1/seen.
std::optional<Eta> Outflow::UntilEntered(std::uint64_t entries, Time now) const {
  if (!window_ || window_->sum < kEnough) return {};
  const auto step = ToMillis(now) / kStepMs;
  std::uint32_t seen = window_->sum;
  for (auto gone = window_->latest_step + 1; gone <= step && gone <= window_->latest_step + kSteps; ++gone) {
    seen -= window_->entries[static_cast<std::size_t>(gone % kSteps)];
  }
  if (seen < kEnough) return {};
  const auto window_start = std::max(window_->first_ms, (step - kSteps + 1) * kStepMs);
  const double seconds =
      static_cast<double>(std::max<std::int64_t>(ToMillis(now) - window_start, 1000)) / 1000;
  const double rate = seen / seconds;
  const auto n = static_cast<double>(entries);
  const double mean = n / rate;
  const double spread = 1.2816 * mean * std::sqrt(1 / std::max(n, 1.0) + 1.0 / seen);
  return Eta{static_cast<std::int64_t>(std::ceil(mean)), static_cast<std::int64_t>(std::ceil(mean + spread))};
}

}  // namespace maejin
