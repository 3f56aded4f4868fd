// Deduplicates events by id: at-least-once delivery in nearly increasing order becomes exactly-once.
#pragma once

#include <cstdint>
#include <set>

namespace maejin {

// Stores a watermark (`floor`: all ids up to it are applied) and the few ids above it. The watermark skips a
// missing id once kWindow later ids were applied. Not thread-safe.
class AppliedEvents {
 public:
  // Events up to `floor` count as applied.
  explicit AppliedEvents(std::uint64_t floor = 0) : floor_(floor) {}

  // True if the id was not applied yet.
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
