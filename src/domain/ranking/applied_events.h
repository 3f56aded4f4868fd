// Which events were applied already: makes "at least once, in nearly the right order" into "exactly once".
#pragma once

#include <cstdint>
#include <set>

namespace maejin {

// Remembers every id in a little memory, since ids grow and arrive nearly in order: all up to a floor, and
// the few above it that came early. Where ids are missing for good, the floor passes them once kWindow later
// ones have come. Not thread-safe.
class AppliedEvents {
 public:
  // Events up to `floor` are known to be applied.
  explicit AppliedEvents(std::uint64_t floor = 0) : floor_(floor) {}

  // True the first time.
  bool Add(std::uint64_t id) {
    if (id <= floor_ || !early_.insert(id).second) return false;
    if (early_.size() > kWindow) floor_ = *early_.begin() - 1;
    while (!early_.empty() && *early_.begin() == floor_ + 1) {
      ++floor_;
      early_.erase(early_.begin());
    }
    return true;
  }

 private:
  static constexpr std::size_t kWindow = 65536;

  std::uint64_t floor_;
  std::set<std::uint64_t> early_;
};

}  // namespace maejin
