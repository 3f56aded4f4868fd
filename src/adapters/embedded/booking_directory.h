// Maps 128-bit ids to their locations, and users to their reservations. Sharded, so that threads seldom
// contend.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"

namespace maejin::embedded {

// Ids are random, so any of their bytes spreads entries evenly over the shards. Entries are never removed.
// Thread-safe.
template <class Location>
class Directory {
 public:
  void Add(const Id128& id, Location location) {
    auto& shard = ShardOf(id);
    const std::lock_guard lock(shard.mutex);
    shard.locations.emplace(id, location);
  }
  std::optional<Location> Find(const Id128& id) const {
    const auto& shard = ShardOf(id);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.locations.find(id);
    if (found == shard.locations.end()) return {};
    return found->second;
  }

 private:
  static constexpr std::size_t kShards = 64;
  struct Shard {
    mutable std::mutex mutex;
    boost::unordered_flat_map<Id128, Location, std::hash<Id128>> locations;  // guarded by mutex
  };
  // The map hashes the first bytes, so the shard is chosen by the last.
  Shard& ShardOf(const Id128& id) { return shards_[id.bytes[15] % kShards]; }
  const Shard& ShardOf(const Id128& id) const { return shards_[id.bytes[15] % kShards]; }

  std::array<Shard, kShards> shards_;
};

// The locations of each user, in the order in which they were added. Thread-safe.
template <class Location>
class UserDirectory {
 public:
  void Add(const std::string& user, Location location) {
    auto& shard = shards_[std::hash<std::string>{}(user) % kShards];
    const std::lock_guard lock(shard.mutex);
    shard.locations[user].push_back(location);
  }
  // Moves the locations that `select` accepts from `user` to the user `to`. `select` must not take the lock
  // of a sale: a thread takes a sale's lock before a shard's lock.
  template <class Select>
  void Rename(const std::string& user, const std::string& to, Select&& select) {
    std::vector<Location> moved;
    {
      auto& shard = shards_[std::hash<std::string>{}(user) % kShards];
      const std::lock_guard lock(shard.mutex);
      const auto found = shard.locations.find(user);
      if (found == shard.locations.end()) return;
      auto& locations = found->second;
      std::copy_if(locations.begin(), locations.end(), std::back_inserter(moved), select);
      locations.erase(std::remove_if(locations.begin(), locations.end(), select), locations.end());
      if (locations.empty()) shard.locations.erase(found);
    }
    for (const auto& location : moved) Add(to, location);
  }
  std::vector<Location> Find(const std::string& user) const {
    const auto& shard = shards_[std::hash<std::string>{}(user) % kShards];
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.locations.find(user);
    if (found == shard.locations.end()) return {};
    return {found->second.begin(), found->second.end()};
  }

 private:
  static constexpr std::size_t kShards = 64;
  struct Shard {
    mutable std::mutex mutex;
    // Guarded by mutex. Most users have one location, so the first one needs no allocation.
    boost::unordered_flat_map<std::string, boost::container::small_vector<Location, 1>> locations;
  };

  std::array<Shard, kShards> shards_;
};

}  // namespace maejin::embedded
