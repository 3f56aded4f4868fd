// The offset between the node's clock and Redis's clock. All nodes of one Redis agree on the time to within a
// round trip.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace maejin::redis {

// Thread-safe.
class ClockOffset {
 public:
  // `server`: the reply to TIME. `sent` and `received`: the node's clock at the request and at the reply.
  void Measure(Time sent, Time received, Time server) {
    const auto middle = sent + (received - sent) / 2;
    offset_ms_.store((server - middle).count(), std::memory_order_relaxed);
  }

  // The node's time plus the offset; never earlier than an earlier result.
  Time Correct(Time node_now) {
    auto latest = latest_ms_.load(std::memory_order_relaxed);
    const auto now = ToMillis(node_now) + offset_ms_.load(std::memory_order_relaxed);
    while (now > latest && !latest_ms_.compare_exchange_weak(latest, now, std::memory_order_relaxed)) {
    }
    return TimeFromMillis(now > latest ? now : latest);
  }

  Millis offset() const { return Millis{offset_ms_.load(std::memory_order_relaxed)}; }

 private:
  std::atomic<std::int64_t> offset_ms_{0};
  std::atomic<std::int64_t> latest_ms_{INT64_MIN};
};

}  // namespace maejin::redis
