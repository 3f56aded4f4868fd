#include "usecase/count_refusals.h"

namespace maejin {

Task<Outcome<Done>> CountRefusals::Flush() {
  RefusalLog::Counts counts;
  {
    const std::lock_guard lock(mutex_);
    counts.swap(counts_);
  }
  if (counts.empty()) co_return Done{};
  const auto added = co_await log_.Add(counts);
  if (added.ok()) co_return added;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, count] : counts) counts_[key] += count;
  co_return added;
}

}  // namespace maejin
