// Lets a coroutine wait for a signal from another thread, with a timeout.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include <boost/asio/post.hpp>

#include "base/await.h"
#include "base/task.h"
#include "base/time.h"
#include "base/timer.h"

namespace maejin::redis {

// Signal() is thread-safe. Wait() and Close() belong to one coroutine, which calls Close() before its
// io_context ends.
class WakeUp : public std::enable_shared_from_this<WakeUp> {
 public:
  explicit WakeUp(Executor executor) : executor_(executor), timer_(executor) {}

  void Signal() {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    boost::asio::post(executor_, [self = shared_from_this()] {
      self->signalled_ = true;
      if (self->timer_) self->timer_->cancel();
    });
  }

  // Returns after a signal, even one sent before the call, or after `at_most`.
  Task<void> Wait(Millis at_most) {
    const auto self = shared_from_this();
    if (!signalled_) {
      timer_->expires_after(at_most);
      std::ignore = co_await timer_->async_wait(kAwait);
    }
    signalled_ = false;
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    timer_.reset();  // before its io_context ends; other threads may hold this object longer
  }

 private:
  Executor executor_;
  std::optional<SteadyTimer> timer_;  // until Close()
  bool signalled_ = false;
  std::mutex mutex_;
  bool closed_ = false;  // guarded by mutex_
};

}  // namespace maejin::redis
