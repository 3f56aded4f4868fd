// Counts refused holds and declined payments of each concert, for the sale report. Counts wait in memory
// until the next Flush().
#pragma once

#include <mutex>

#include "base/task.h"
#include "domain/refusal.h"
#include "store/refusal_log.h"

namespace maejin {

// Thread-safe. The log outlives it.
class CountRefusals {
 public:
  explicit CountRefusals(RefusalLog& log) : log_(log) {}

  void Count(ConcertId concert, Refusal refusal) {
    const std::lock_guard lock(mutex_);
    ++counts_[{concert, std::string(Code(refusal))}];
  }
  // Stores the counts; called about once a second. Counts that cannot be stored stay for the next call.
  // Refuses: kUnavailable.
  Task<Outcome<Done>> Flush();

 private:
  RefusalLog& log_;
  std::mutex mutex_;
  RefusalLog::Counts counts_;  // guarded by mutex_
};

}  // namespace maejin
