// Maps 128-bit ids to their places. Sharded, so that threads seldom contend for a lock.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/ids.h"

namespace maejin::embedded {

// Ids are random, so any bits of them spread the load. Entries are never removed. Thread-safe.
template <class Place>
class Directory {
 public:
  void Add(const Id128& id, Place place) {
    auto& shard = ShardOf(id);
    const std::lock_guard lock(shard.mutex);
    shard.places.emplace(id, place);
  }
  std::optional<Place> Find(const Id128& id) const {
    const auto& shard = ShardOf(id);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.places.find(id);
    if (found == shard.places.end()) return {};
    return found->second;
  }

 private:
  static constexpr std::size_t kShards = 64;
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<Id128, Place> places;  // guarded by mutex
  };
  // The map hashes the first bytes, so the shard is chosen by the last.
  Shard& ShardOf(const Id128& id) { return shards_[id.bytes[15] % kShards]; }
  const Shard& ShardOf(const Id128& id) const { return shards_[id.bytes[15] % kShards]; }

  std::array<Shard, kShards> shards_;
};

}  // namespace maejin::embedded
