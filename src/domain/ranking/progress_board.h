// One board of booking progress: members by seats reserved, most first, ties by the smaller member (the
// earlier date). Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace maejin {

class ProgressBoard {
 public:
  struct Entry {
    std::int64_t member = 0;  // a date as days since 1970-01-01, or a schedule
    std::int64_t reserved = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  // Adds seats, or subtracts them if negative. Counts may be negative for a while, so the order of events
  // does not matter. Only members with a positive count are entries.
  void Change(std::int64_t member, std::int64_t seats);

  // Members with a positive count, in board order.
  std::span<const Entry> entries() const { return entries_; }
  // 0-based; absent without a positive count.
  std::optional<std::size_t> RankOf(std::int64_t member) const;

 private:
  void Move(const Entry& from, const Entry& to);
  std::size_t IndexOf(const Entry& entry) const;

  std::unordered_map<std::int64_t, std::int64_t> counts_;  // without zeros; may be negative
  std::vector<Entry> entries_;
};

}  // namespace maejin
