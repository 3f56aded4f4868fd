// The observed rate of entries, from which ETAs are computed. Counts the entries of the last ten minutes in
// steps of ten seconds. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/time.h"

namespace maejin {

struct Eta {
  std::int64_t p50_seconds = 0;
  std::int64_t p90_seconds = 0;
  friend bool operator==(const Eta&, const Eta&) = default;
};

class Outflow {
 public:
  void Count(Time now);
  // The time until `entries` more fans have entered; absent until enough entries were observed.
  std::optional<Eta> UntilEntered(std::uint64_t entries, Time now) const;
  // Drops all observations, because they predict nothing after a change of phase or settings.
  void Reset();

 private:
  static constexpr std::int64_t kStepMs = 10'000;
  static constexpr std::int64_t kSteps = 60;
  static constexpr std::uint32_t kEnough = 8;

  struct Window {
    std::array<std::uint32_t, kSteps> entries{};
    std::int64_t latest_step = 0;
    std::int64_t first_ms = 0;  // time of the first counted entry
    std::uint32_t sum = 0;
  };
  std::unique_ptr<Window> window_;
};

}  // namespace maejin
