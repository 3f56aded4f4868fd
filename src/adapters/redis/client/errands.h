// Work of one object on another's thread: the object must not end before it.
#pragma once

#include <condition_variable>
#include <mutex>

namespace maejin::redis {

// Thread-safe.
class Errands {
 public:
  // False: the owner is ending, or (with `alone`) something runs already. True: call End() when it is done.
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
  // Lets nothing begin any more, and waits for what runs.
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
