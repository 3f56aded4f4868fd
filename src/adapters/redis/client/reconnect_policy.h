// Exponential backoff with full jitter between connection attempts, and a circuit breaker. While the circuit
// is open, only the handshake of the next connection tests the server; requests are refused.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace maejin::redis {

// Not thread-safe.
class ReconnectPolicy {
 public:
  struct Settings {
    Millis first{20};      // limit of the first pause
    Millis longest{1000};  // limit of every pause
    int open_after = 2;    // failures in a row until requests are refused without waiting
  };

  ReconnectPolicy(Settings settings, std::uint64_t seed) : settings_(settings), state_(seed | 1) {}

  void Connected() { failures_ = 0; }

  // Call when a connection failed or broke. Returns the pause before the next attempt: random below a limit
  // that doubles, so that many nodes do not reconnect at the same time.
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
