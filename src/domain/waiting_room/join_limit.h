// How many may join from one corner of the net: a leaky bucket per address prefix, kept only while it leaks.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/time.h"

namespace maejin {

// The corner an address belongs to: an IPv4 /24, an IPv6 /56 (an IPv4 address inside IPv6 counts as IPv4); 0
// for anything that is no address.
std::uint64_t AddressPrefix(std::string_view address);

class JoinLimit {
 public:
  // May one more come from `prefix`, at `per_minute`? Counts it if so. A minute's worth may come at once.
  bool Take(std::uint64_t prefix, std::uint32_t per_minute, Time now);

  std::size_t size() const { return free_at_.size(); }

 private:
  void Sweep(Time now);

  // When the bucket of a prefix will be empty, in microseconds since 1970.
  std::unordered_map<std::uint64_t, std::int64_t> free_at_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace maejin
