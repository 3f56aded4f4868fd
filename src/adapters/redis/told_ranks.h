// What each fan of a room was told last by this node: a position never rises, not while Redis is away and not while
// a room that was lost fills again. Four bytes a fan.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "domain/waiting_room_places.h"

namespace maejin::redis {

// Thread-safe.
class ToldRanks {
 public:
  void Tell(PlaceNumber number, std::uint32_t rank) {
    if (auto* slot = Find(number, true)) slot->store(rank + 1, std::memory_order_relaxed);
  }
  // Absent: this node told none.
  std::optional<std::uint32_t> Last(PlaceNumber number) {
    const auto* slot = Find(number, false);
    const auto told = slot == nullptr ? 0 : slot->load(std::memory_order_relaxed);
    if (told == 0) return {};
    return told - 1;
  }

 private:
  static constexpr std::size_t kPage = 4096;
  using Page = std::array<std::atomic<std::uint32_t>, kPage>;

  std::atomic<std::uint32_t>* Find(PlaceNumber number, bool make) {
    {
      const std::shared_lock lock(mutex_);
      const auto page = pages_.find(number / kPage);
      if (page != pages_.end()) return &(*page->second)[number % kPage];
    }
    if (!make) return nullptr;
    const std::unique_lock lock(mutex_);
    auto& page = pages_[number / kPage];
    if (!page) page = std::make_unique<Page>();
    return &(*page)[number % kPage];
  }

  std::shared_mutex mutex_;
  std::unordered_map<std::size_t, std::unique_ptr<Page>> pages_;  // guarded by mutex_; pages never go
};

// While a room that was lost fills again: what each fan was told at first, and those who were admitted before that.
// Thread-safe.
class SettlingRanks {
 public:
  std::int64_t Base(std::uint32_t epoch, PlaceNumber number, std::uint32_t last, std::int64_t admitted) {
    const std::lock_guard lock(mutex_);
    if (epoch != epoch_) bases_.clear();
    epoch_ = epoch;
    return bases_.try_emplace(number, last + admitted).first->second;
  }

 private:
  std::mutex mutex_;
  std::uint32_t epoch_ = 0;                              // guarded by mutex_
  std::unordered_map<PlaceNumber, std::int64_t> bases_;  // guarded by mutex_
};

}  // namespace maejin::redis
