// How far the node's clock is from Redis's, so that all nodes of one Redis agree on what time it is to within
// a round trip.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace maejin::redis {

// Thread-safe.
class ClockOffset {
 public:
  // Redis said `server` to a question sent at `sent` and answered at `received`, by the node's clock.
  void Learn(Time sent, Time received, Time server) {
    const auto middle = sent + (received - sent) / 2;
    offset_ms_.store((server - middle).count(), std::memory_order_relaxed);
  }

  // The node's time, corrected; never earlier than what was answered before.
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
