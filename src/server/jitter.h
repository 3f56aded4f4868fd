// Jitter for Retry-After, so that refused clients do not retry at the same moment.
#pragma once

#include <cstdint>
#include <random>

namespace maejin::http {

// Between `seconds` and twice as much.
inline std::uint32_t JitteredSeconds(std::uint32_t seconds) {
  thread_local std::minstd_rand engine{std::random_device{}()};
  return seconds + static_cast<std::uint32_t>(engine() % (seconds + 1));
}

}  // namespace maejin::http
