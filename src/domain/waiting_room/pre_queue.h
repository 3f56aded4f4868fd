// The pre-queue of a room, as far as it may be named with the room's concert.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace maejin {

// The order of a pre-queue: drawn at the opening, or as its places joined.
enum class PreQueueOrder : std::uint8_t { kDraw, kArrival };
std::string_view Name(PreQueueOrder order);
std::optional<PreQueueOrder> ParsePreQueueOrder(std::string_view name);

// A pre-queue begins this long before the opening, unless the operator sets its time.
inline constexpr Seconds kPreQueueBefore{1800};

// A setting of a room that was named with its concert.
template <class T>
struct NamedSetting {
  T value = {};
  // The concert's `life` with which it was named; 0: never. A room takes the value once, when it follows this
  // life: a later change by an operator of the room stays.
  std::int64_t life = 0;
  friend bool operator==(const NamedSetting&, const NamedSetting&) = default;
};

struct NamedPreQueue {
  NamedSetting<PreQueueOrder> order = {};
  NamedSetting<std::optional<Time>> at = {};  // an empty value: by kPreQueueBefore
  friend bool operator==(const NamedPreQueue&, const NamedPreQueue&) = default;
};

}  // namespace maejin
