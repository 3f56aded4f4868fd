#include "adapters/embedded/event_relay.h"

#include <algorithm>
#include <chrono>

namespace maejin::embedded {
namespace {

constexpr std::size_t kAtOnce = 500;
constexpr std::chrono::milliseconds kPause{200};

}  // namespace

EventRelay::EventRelay(Apply apply, CatchUp catch_up)
    : apply_(std::move(apply)), catch_up_(std::move(catch_up)), thread_([this] { Run(); }) {}

void EventRelay::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void EventRelay::Deliver(std::span<const BookingEvent> events) {
  if (events.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.end(), events.begin(), events.end());
    delivered_ += events.size();
  }
  work_.notify_one();
}

EventRelay::Backlog EventRelay::backlog() const {
  const std::lock_guard lock(mutex_);
  Backlog backlog{delivered_, {}};
  for (const auto& event : waiting_) backlog.ids.push_back(event.id);
  return backlog;
}

bool EventRelay::Pause(std::unique_lock<std::mutex>& lock) {
  return !work_.wait_for(lock, kPause, [this] { return stopping_; });
}

void EventRelay::Run() {
  while (catch_up_ && !catch_up_()) {
    std::unique_lock lock(mutex_);
    if (!Pause(lock)) return;
  }
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const auto count = std::min(kAtOnce, waiting_.size());
    std::vector<BookingEvent> some(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    lock.unlock();
    const bool taken = apply_(std::move(some));
    lock.lock();
    if (taken) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    } else if (!Pause(lock)) {
      return;
    }
  }
}

}  // namespace maejin::embedded
