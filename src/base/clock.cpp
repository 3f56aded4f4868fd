#include "base/clock.h"

#include <algorithm>

namespace maejin {
namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t kApproachEveryNs = 100'000'000;
constexpr std::int64_t kSlewRate = 32;

nanoseconds WallNow() { return std::chrono::system_clock::now().time_since_epoch(); }
nanoseconds MonotonicNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

SystemClock::SystemClock(Steps steps) : SystemClock(Sources{WallNow, MonotonicNow}, steps) {}

SystemClock::SystemClock(Sources sources, Steps steps)
    : sources_(sources),
      steps_(steps),
      offset_ns_((sources.wall() - sources.steady()).count()),
      approached_ns_(sources.steady().count()) {}

void SystemClock::StartNotBefore(Time mark) {
  const auto behind = mark - Now();
  if (behind > Millis{0}) offset_ns_ += nanoseconds(behind).count();
}

// Slews the clock by a few milliseconds, or steps it. Of several calling threads, only one changes the clock.
void SystemClock::Approach(std::int64_t steady_ns) const {
  auto last = approached_ns_.load(std::memory_order_relaxed);
  const auto elapsed = steady_ns - last;
  if (elapsed < kApproachEveryNs) return;
  if (!approached_ns_.compare_exchange_strong(last, steady_ns, std::memory_order_relaxed)) return;
  const auto most = elapsed / kSlewRate;
  const auto offset = offset_ns_.load(std::memory_order_relaxed);
  const auto behind = sources_.wall().count() - steady_ns - offset;
  if (steps_ == Steps::kNever || behind < nanoseconds(kLargeDifference).count()) {
    ahead_since_ns_.store(0, std::memory_order_relaxed);
    offset_ns_.store(offset + std::clamp(behind, -most, most), std::memory_order_relaxed);
    return;
  }
  const auto since = ahead_since_ns_.load(std::memory_order_relaxed);
  if (since == 0) return ahead_since_ns_.store(steady_ns, std::memory_order_relaxed);
  if (steady_ns - since < nanoseconds(kConfirmation).count()) return;
  ahead_since_ns_.store(0, std::memory_order_relaxed);
  offset_ns_.store(offset + behind, std::memory_order_relaxed);
  if (on_step_) on_step_(Millis{behind / 1'000'000});
}

Time SystemClock::Now() const {
  const auto steady_ns = sources_.steady().count();
  Approach(steady_ns);
  const auto ours = (steady_ns + offset_ns_.load(std::memory_order_relaxed)) / 1'000'000;
  auto latest = latest_ms_.load(std::memory_order_relaxed);
  while (ours > latest) {
    if (latest_ms_.compare_exchange_weak(latest, ours, std::memory_order_relaxed))
      return TimeFromMillis(ours);
  }
  return TimeFromMillis(latest);
}

}  // namespace maejin
