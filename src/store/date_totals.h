// Seats for sale by calendar day, summed again only after concerts have changed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "base/time.h"

namespace maejin {

// Thread-safe.
class DateTotals {
 public:
  using ByDate = std::map<Date, std::int64_t>;

  // The caller reads `version` before this call. Every change of a total increases the version after the
  // change, so that stale totals are summed again. `sum()` returns the totals.
  template <class Sum>
  std::int64_t On(Date date, std::uint64_t version, Sum&& sum) {
    const std::lock_guard lock(mutex_);
    if (version_ != version) {
      totals_ = sum();
      version_ = version;
    }
    const auto found = totals_.find(date);
    return found == totals_.end() ? 0 : found->second;
  }

 private:
  std::mutex mutex_;
  std::optional<std::uint64_t> version_;  // guarded by mutex_
  ByDate totals_;                         // guarded by mutex_
};

}  // namespace maejin
