// The limit of joins per address prefix: one leaky bucket each, evicted when empty. Not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/time.h"

namespace maejin {

// The prefix of an address: IPv4 /24, IPv6 /56; an IPv4-mapped IPv6 address counts as IPv4. 0: the address is
// invalid.
std::uint64_t AddressPrefix(std::string_view address);

class JoinLimit {
 public:
  // Counts one join and returns true, or returns false above the limit. All joins of a minute may come at
  // once.
  bool Take(std::uint64_t prefix, std::uint32_t per_minute, Time now);

  std::size_t size() const { return free_at_.size(); }

 private:
  void Sweep(Time now);

  // By prefix: when the bucket is empty, in microseconds since 1970.
  std::unordered_map<std::uint64_t, std::int64_t> free_at_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace maejin
