// Detects that the process was paused (SIGSTOP, a suspended machine) or that its clock stepped forward. No
// client could poll, enter or pay during that time, so the stores extend deadlines by its length.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/time.h"

namespace maejin::embedded {

// Thread-safe.
class PauseWatch {
 public:
  // A longer gap between two calls of Notice() is a pause. Absent: time may jump (tests).
  explicit PauseWatch(std::optional<Millis> after) : after_(after) {}

  // Stores call this before every decision and at every tick. total() then includes a pause that ended
  // before `now`.
  void Notice(Time now) {
    const auto now_ms = ToMillis(now);
    auto last = last_ms_.load(std::memory_order_acquire);
    if (now_ms <= last + kBetweenCalls) return;
    if (!after_ || last == 0 || now_ms - last <= after_->count()) {
      // A caller with an older `now` changes nothing once another caller has noticed the pause.
      last_ms_.compare_exchange_strong(last, now_ms, std::memory_order_acq_rel);
      return;
    }
    const std::lock_guard lock(mutex_);
    last = last_ms_.load(std::memory_order_relaxed);
    if (now_ms - last <= after_->count()) return;
    total_ms_.fetch_add(now_ms - last, std::memory_order_relaxed);
    resumed_ms_.store(now_ms, std::memory_order_relaxed);
    last_ms_.store(now_ms, std::memory_order_release);
  }

  // The sum of all pauses. Call after Notice().
  Millis total() const { return Millis{total_ms_.load(std::memory_order_relaxed)}; }
  // The end of the last pause; 1970: none.
  Time resumed() const { return TimeFromMillis(resumed_ms_.load(std::memory_order_relaxed)); }

 private:
  // Milliseconds. A call that comes sooner after the last noticed time writes nothing, so most calls only
  // read.
  static constexpr std::int64_t kBetweenCalls = 50;

  const std::optional<Millis> after_;
  std::mutex mutex_;
  std::atomic<std::int64_t> last_ms_{0};
  std::atomic<std::int64_t> total_ms_{0};
  std::atomic<std::int64_t> resumed_ms_{0};
};

}  // namespace maejin::embedded
