// What the fans of a room were told last: a position never rises, not while Redis is away and not while a room that was
// lost fills again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "domain/waiting_room/places.h"

namespace maejin::redis {

// A piece of the ranks of neighbouring numbers, as room_told.lua keeps it: four little-endian bytes each, rank + 1, 0 for
// none.
struct RanksPiece {
  static constexpr std::size_t kNumbers = 512;

  std::size_t index = 0;  // its first number divided by kNumbers
  std::string bytes;
};

// By this node. Eight bytes a fan. Thread-safe.
class ToldRanks {
 public:
  // The fan is to ask again after so long.
  void Tell(PlaceNumber number, std::uint32_t rank, Time now, Millis ask_after);
  // Absent: this node told none.
  std::optional<std::uint32_t> Last(PlaceNumber number) const;
  // The same, where no other node can have told the fan another one since: it was not to ask twice meanwhile.
  std::optional<std::uint32_t> LastOfAll(PlaceNumber number, Time now) const;
  // All of them.
  std::vector<RanksPiece> Pieces() const;

 private:
  static constexpr std::size_t kPage = 8 * RanksPiece::kNumbers;
  // Rank + 1 in the lower half, 0: none; until when it is the last of all in the upper, in tenths of a second.
  using Page = std::array<std::atomic<std::uint64_t>, kPage>;

  std::uint64_t Get(PlaceNumber number) const;

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::size_t, std::unique_ptr<Page>> pages_;  // guarded by mutex_; pages never go
};

// By all nodes together, the least of each, as they agreed on it after a loss. Thread-safe.
class AgreedRanks {
 public:
  // Of the loss at that time; those of an earlier one are forgotten.
  void Take(Time lost_at, std::vector<RanksPiece> pieces);
  bool Knows(Time lost_at) const;
  // Absent: nobody told one, or it is not known yet what the others told.
  std::optional<std::uint32_t> Of(Time lost_at, PlaceNumber number) const;

 private:
  mutable std::shared_mutex mutex_;
  Time lost_at_{};                                       // guarded by mutex_
  std::unordered_map<std::size_t, std::string> pieces_;  // guarded by mutex_
};

}  // namespace maejin::redis
