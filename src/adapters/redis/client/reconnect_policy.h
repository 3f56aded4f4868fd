// When to try again, and when to refuse at once: exponential backoff with full jitter, and a circuit breaker.
// The probe of an open circuit is the handshake of the next connection, never a customer's request.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace maejin::redis {

// Not thread-safe.
class ReconnectPolicy {
 public:
  struct Settings {
    Millis first{20};      // the longest first pause
    Millis longest{1000};  // of any pause
    int open_after = 2;    // failures in a row until requests are refused without waiting
  };

  ReconnectPolicy(Settings settings, std::uint64_t seed) : settings_(settings), state_(seed | 1) {}

  void Connected() { failures_ = 0; }

  // A connection could not be made, or broke. Returns the pause before the next attempt: a random part of a
  // limit that doubles, so that a thousand nodes do not come back in step.
  Millis Failed() {
    const auto limit =
        std::min<std::int64_t>(settings_.longest.count(), settings_.first.count() << std::min(failures_, 16));
    ++failures_;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return Millis{1 + static_cast<std::int64_t>(state_ % static_cast<std::uint64_t>(limit))};
  }

  bool open() const { return failures_ >= settings_.open_after; }

 private:
  Settings settings_;
  std::uint64_t state_;
  int failures_ = 0;
};

}  // namespace maejin::redis
