#include "base/ticker.h"

#include <new>

#include "base/log.h"

namespace maejin {

Ticker::Ticker(Millis interval, std::function<void()> tick)
    : thread_([this, interval, tick = std::move(tick)] { Loop(interval, tick); }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void Ticker::Loop(Millis interval, const std::function<void()>& tick) {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, interval, [this] { return stopping_; })) {
    lock.unlock();
    try {
      tick();
    } catch (const std::bad_alloc&) {
      // The text is not formatted: there may be no memory for that either.
      WriteLog(LogLevel::kError, "out of memory in a background task; it runs again at its next interval");
    }
    lock.lock();
  }
}

}  // namespace maejin
