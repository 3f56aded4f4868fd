// Counts the tasks that an object runs on another thread. The object's destructor calls Close(), which waits
// for them.
#pragma once

#include <condition_variable>
#include <mutex>

namespace maejin::redis {

// Thread-safe.
class InFlightGuard {
 public:
  // False: Close() was called, or `alone` is set and a task runs. True: the caller calls End() when its task
  // is done.
  bool Begin(bool alone = false) {
    const std::lock_guard lock(mutex_);
    if (closed_ || (alone && running_ > 0)) return false;
    ++running_;
    return true;
  }
  void End() {
    const std::lock_guard lock(mutex_);
    --running_;
    done_.notify_all();
  }
  // Refuses new tasks and waits for the running ones.
  void Close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    done_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  int running_ = 0;      // guarded by mutex_
  bool closed_ = false;  // guarded by mutex_
};

}  // namespace maejin::redis
