// Sheds load by class when too many requests are in flight: joins first, refunds last.
#pragma once

#include <atomic>
#include <cstddef>

#include "server/router.h"

namespace maejin::http {

// Thread-safe.
class Shedding {
 public:
  explicit Shedding(std::size_t limit) : limit_(limit) {}

  bool Admits(Priority priority) const {
    return priority == Priority::kAlways || in_flight_.load(std::memory_order_relaxed) < LimitOf(priority);
  }
  void Begin() { in_flight_.fetch_add(1, std::memory_order_relaxed); }
  void End() { in_flight_.fetch_sub(1, std::memory_order_relaxed); }
  std::size_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }

 private:
  std::size_t LimitOf(Priority priority) const {
    constexpr std::size_t kPercent[] = {60, 70, 80, 90, 100, 100};
    return limit_ * kPercent[static_cast<std::size_t>(priority)] / 100;
  }

  const std::size_t limit_;
  alignas(64) std::atomic<std::size_t> in_flight_{0};
};

}  // namespace maejin::http
