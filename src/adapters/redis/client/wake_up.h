// Lets a coroutine wait for a signal from another thread, with a time-out.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"
#include "base/time.h"

namespace maejin::redis {

// Signal() may come from any thread at any time; everything else belongs to the waiting coroutine, which
// calls Close() when it no longer waits: from then on its io_context may end.
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

  // Returns after a signal (also one that came before), or when the time is over.
  Task<void> Wait(Millis at_most) {
    const auto self = shared_from_this();
    if (!signalled_) {
      timer_->expires_after(at_most);
      const auto token = boost::asio::as_tuple(boost::asio::use_awaitable_t<Executor>{});
      std::ignore = co_await timer_->async_wait(token);
    }
    signalled_ = false;
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    timer_.reset();  // here, while its io_context lives: others may hold this object for longer
  }

 private:
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

  Executor executor_;
  std::optional<Timer> timer_;  // until Close()
  bool signalled_ = false;
  std::mutex mutex_;
  bool closed_ = false;  // guarded by mutex_
};

}  // namespace maejin::redis
