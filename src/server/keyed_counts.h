// Counts by key, such as connections by address. Sharded by key, so that threads seldom contend for a lock.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace maejin::http {

class KeyedCounts;

// One count under one key. The destructor subtracts it.
class KeyedCount {
 public:
  KeyedCount() = default;
  KeyedCount(KeyedCounts& counts, std::uint64_t key) : counts_(&counts), key_(key) {}
  KeyedCount(KeyedCount&& other) noexcept
      : counts_(std::exchange(other.counts_, nullptr)), key_(other.key_) {}
  KeyedCount& operator=(KeyedCount&& other) noexcept {
    std::swap(counts_, other.counts_);
    std::swap(key_, other.key_);
    return *this;
  }
  ~KeyedCount();

 private:
  KeyedCounts* counts_ = nullptr;
  std::uint64_t key_ = 0;
};

// Thread-safe.
class KeyedCounts {
 public:
  // Adds one to the count of `key`, unless it is `limit` already. False: the limit is reached.
  bool Take(std::uint64_t key, std::size_t limit, KeyedCount& count) {
    auto& shard = ShardOf(key);
    const std::lock_guard lock(shard.mutex);
    auto& number = shard.numbers[key];
    if (number >= limit) return false;
    ++number;
    count = KeyedCount(*this, key);
    return true;
  }

 private:
  friend class KeyedCount;
  struct alignas(64) Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // guarded by mutex
  };
  Shard& ShardOf(std::uint64_t key) { return shards_[(key * 0x9e3779b97f4a7c15ULL) >> 60]; }
  void Give(std::uint64_t key) {
    auto& shard = ShardOf(key);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.numbers.find(key);
    if (--found->second == 0) shard.numbers.erase(found);
  }

  std::array<Shard, 16> shards_;
};

inline KeyedCount::~KeyedCount() {
  if (counts_) counts_->Give(key_);
}

}  // namespace maejin::http
