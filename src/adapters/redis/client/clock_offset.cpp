#include "adapters/redis/client/clock_offset.h"

#include "base/clock_approach.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

using std::chrono::nanoseconds;

nanoseconds WallNow() { return std::chrono::system_clock::now().time_since_epoch(); }
nanoseconds SteadyNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::int64_t MillisOf(std::int64_t ns) { return ns / 1'000'000; }

}  // namespace

ClockOffset::ClockOffset() : ClockOffset(Sources{WallNow, SteadyNow}) {}

void ClockOffset::Measure(nanoseconds sent, Time server, Millis shift) {
  const auto received = sources_.steady();
  const auto middle = sent + (received - sent) / 2;
  const auto offset = ToMillis(server) * 1'000'000 - middle.count();
  if (!measured()) {
    server_ns_.store(offset, std::memory_order_relaxed);
    shown_ns_.store(offset + nanoseconds(shift).count(), std::memory_order_relaxed);
    ticked_ns_ = received.count();
    measured_.store(true, std::memory_order_release);
    return;
  }
  if (received - sent > kMaxRoundTrip) return;
  const auto jump = MillisOf(offset - server_ns_.exchange(offset, std::memory_order_relaxed));
  if (std::chrono::abs(Millis{jump}) <= kJump) return;
  LogWarning("redis: its clock jumped by {} ms; the nodes' time, {} ms behind it, approaches it slowly", jump,
             MillisOf(Behind()));
}

void ClockOffset::Tick() {
  if (!measured()) return;
  const auto steady = sources_.steady().count();
  const ClockApproach approach{.behind = Behind(),
                               .elapsed = steady - ticked_ns_,
                               .steady = steady,
                               .ahead_since = ahead_since_ns_,
                               .may_step = MachineAgrees()};
  ticked_ns_ = steady;
  ahead_since_ns_ = approach.AheadSince();
  shown_ns_.fetch_add(approach.Move(), std::memory_order_relaxed);
  if (!approach.IsStep()) return;
  LogWarning("redis: its clock and the machine's are {} ms ahead; the node's time steps forward",
             MillisOf(approach.behind));
}

Time ClockOffset::Correct(Time node_now) {
  const auto steady = sources_.steady().count();
  const auto now =
      measured() ? MillisOf(steady + shown_ns_.load(std::memory_order_relaxed)) : ToMillis(node_now);
  auto latest = latest_ms_.load(std::memory_order_relaxed);
  while (now > latest && !latest_ms_.compare_exchange_weak(latest, now, std::memory_order_relaxed)) {
  }
  return TimeFromMillis(now > latest ? now : latest);
}

Millis ClockOffset::offset() const {
  if (!measured()) return Millis{0};
  const auto server = sources_.steady().count() + server_ns_.load(std::memory_order_relaxed);
  return Millis{MillisOf(server - sources_.wall().count())};
}

std::optional<Millis> ClockOffset::Shift() const {
  const Millis shift{-MillisOf(Behind())};
  if (!measured() || std::chrono::abs(shift) <= kJump || (shift < Millis{0} && MachineAgrees())) return {};
  return shift;
}

std::int64_t ClockOffset::Behind() const {
  return server_ns_.load(std::memory_order_relaxed) - shown_ns_.load(std::memory_order_relaxed);
}

bool ClockOffset::MachineAgrees() const { return std::chrono::abs(offset()) < kAgreement; }

}  // namespace maejin::redis
