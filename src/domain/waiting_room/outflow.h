// How fast a room lets people in, as observed: the base of every honest ETA.
// Counts entries of the last ten minutes in steps of ten seconds. Not thread-safe.
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
  // How long until `entries` more have entered: absent until enough was seen to say more than a guess.
  std::optional<Eta> UntilEntered(std::uint64_t entries, Time now) const;
  // Forget: the room was paused or its settings changed, the past says nothing about what comes.
  void Reset();

 private:
  static constexpr std::int64_t kStepMs = 10'000;
  static constexpr std::int64_t kSteps = 60;
  static constexpr std::uint32_t kEnough = 8;

  struct Window {
    std::array<std::uint32_t, kSteps> entries{};
    std::int64_t latest_step = 0;
    std::int64_t first_ms = 0;  // of the first entry counted
    std::uint32_t sum = 0;
  };
  std::unique_ptr<Window> window_;
};

}  // namespace maejin
