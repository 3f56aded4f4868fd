#include "base/forward_clock.h"

#include <algorithm>

#include "base/clock_approach.h"

namespace maejin {
namespace {

// A source that loses more than this between two ticks was set back. A slewed source loses up to 1/32 of that
// time, and a busy machine delays ticks.
constexpr Millis kSetBack{1000};

std::int64_t NsOf(Time time) { return ToMillis(time) * 1'000'000; }
std::chrono::nanoseconds SteadyNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

ForwardClock::ForwardClock(const Clock& source) : ForwardClock(source, SteadyNow) {}

ForwardClock::ForwardClock(const Clock& source, Steady steady)
    : source_(source), steady_(steady), ticked_ns_(steady().count()), seen_(source.Now()) {}

Time ForwardClock::Now() const {
  auto now = ToMillis(source_.Now());
  const bool behind = behind_.load(std::memory_order_acquire);
  if (behind) now = std::max(now, ShownNs() / 1'000'000);
  auto latest = latest_ms_.load(std::memory_order_relaxed);
  if (!behind) return TimeFromMillis(std::max(now, latest));
  while (now > latest && !latest_ms_.compare_exchange_weak(latest, now, std::memory_order_relaxed)) {
  }
  return TimeFromMillis(std::max(now, latest));
}

void ForwardClock::NotBefore(Time at) {
  if (Now() >= at) return;
  offset_ns_.store(NsOf(at) - steady_().count(), std::memory_order_relaxed);
  behind_.store(true, std::memory_order_release);
}

void ForwardClock::Tick() {
  const auto steady_ns = steady_().count();
  const auto elapsed_ns = steady_ns - ticked_ns_;
  const auto source = source_.Now();
  if (behind_.load(std::memory_order_relaxed)) {
    if (NsOf(source) >= ShownNs()) {
      behind_.store(false, std::memory_order_release);
    } else {
      offset_ns_.fetch_sub(elapsed_ns / kSlewDivisor, std::memory_order_relaxed);
    }
  } else {
    const auto expected = seen_ + Millis{elapsed_ns / 1'000'000};
    if (expected - source > kSetBack) NotBefore(expected);
  }
  ticked_ns_ = steady_ns;
  seen_ = source;
}

Millis ForwardClock::ahead() const {
  if (!behind_.load(std::memory_order_acquire)) return Millis{0};
  return std::max(Millis{0}, Now() - source_.Now());
}

}  // namespace maejin
