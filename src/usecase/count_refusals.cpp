#include "usecase/count_refusals.h"

namespace maejin {

Task<void> CountRefusals::Flush() {
  RefusalLog::Counts counts;
  {
    const std::lock_guard lock(mutex_);
    counts.swap(counts_);
  }
  if (counts.empty()) co_return;
  const auto added = co_await log_.Add(counts);
  if (added.ok()) co_return;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, count] : counts) counts_[key] += count;
}

}  // namespace maejin
