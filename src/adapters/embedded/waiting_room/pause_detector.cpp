#include "adapters/embedded/waiting_room/pause_detector.h"

namespace maejin::embedded {
namespace {

// Calls closer together than this share one write of the shared time: many threads call.
constexpr std::int64_t kCallResolutionMs = 50;

}  // namespace

void PauseDetector::Observe(Time now) {
  const auto now_ms = ToMillis(now);
  if (!journal_.Accepting()) {
    disk_refused_.store(true, std::memory_order_relaxed);
  } else if (disk_refused_.load(std::memory_order_relaxed) && disk_refused_.exchange(false)) {
    pause_ended_ms_ = now_ms;
  }
  const auto last = last_call_ms_.load(std::memory_order_relaxed);
  if (now_ms <= last + kCallResolutionMs) return;
  last_call_ms_.store(now_ms, std::memory_order_relaxed);
  if (pause_after_ && last != 0 && now_ms - last > pause_after_->count()) pause_ended_ms_ = now_ms;
}

void PauseDetector::ApplyTo(Room& room, Time now) {
  Observe(now);
  const auto ended_ms = pause_ended_ms_.load(std::memory_order_relaxed);
  if (room.presence_reset_ms >= ended_ms) return;
  room.presence_reset_ms = ended_ms;
  room.line.ResetPresence(TimeFromMillis(ended_ms));
}

}  // namespace maejin::embedded
