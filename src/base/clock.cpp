#include "base/clock.h"

#include "base/clock_approach.h"

namespace maejin {
namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t kApproachEveryNs = 100'000'000;

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
  const auto offset = offset_ns_.load(std::memory_order_relaxed);
  const ClockApproach approach{.behind = sources_.wall().count() - steady_ns - offset,
                               .elapsed = elapsed,
                               .steady = steady_ns,
                               .ahead_since = ahead_since_ns_.load(std::memory_order_relaxed),
                               .may_step = steps_ == Steps::kForward};
  ahead_since_ns_.store(approach.AheadSince(), std::memory_order_relaxed);
  offset_ns_.store(offset + approach.Move(), std::memory_order_relaxed);
  if (approach.IsStep() && on_step_) on_step_(Millis{approach.behind / 1'000'000});
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
