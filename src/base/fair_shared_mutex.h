// A shared mutex whose writer waits only for the readers that came before it. The standard one lets readers
// in as long as one is inside: under a steady stream of them a writer would never get its turn.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace maejin {

// For std::unique_lock and std::shared_lock.
class FairSharedMutex {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    inside_.lock();
  }
  void unlock() { inside_.unlock(); }
  void lock_shared() {
    const std::lock_guard turn(turn_);
    inside_.lock_shared();
  }
  void unlock_shared() { inside_.unlock_shared(); }

 private:
  std::mutex turn_;  // held by whoever is next to come in
  std::shared_mutex inside_;
};

}  // namespace maejin
