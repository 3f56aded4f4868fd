// A shared mutex whose writer waits only for readers that locked before it. std::shared_mutex lets readers in
// while another reader holds it, so that a steady stream of readers would starve a writer.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace maejin {

// For std::unique_lock and std::shared_lock.
class FairSharedMutex {
 public:
  void lock() {
    const std::lock_guard entry(entry_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  void lock_shared() {
    const std::lock_guard entry(entry_);
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex entry_;  // held by the thread that locks next
  std::shared_mutex mutex_;
};

}  // namespace maejin
