// Limits a log message to one text line per second, and counts the text lines left out.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace maejin::http {

// Thread-safe.
class LogThrottle {
 public:
  // The number of text lines left out since the last one that was written. Absent: leave this one out, too.
  std::optional<std::uint64_t> Take() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto second = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    auto last = last_second_.load(std::memory_order_relaxed);
    if (last != second && last_second_.compare_exchange_strong(last, second)) return left_out_.exchange(0);
    left_out_.fetch_add(1, std::memory_order_relaxed);
    return {};
  }

 private:
  std::atomic<std::int64_t> last_second_{-1};
  std::atomic<std::uint64_t> left_out_{0};
};

}  // namespace maejin::http
