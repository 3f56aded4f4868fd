// The settings of a room's pre-queue that an operator may also set on the room's concert.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace maejin {

// The order of a pre-queue: drawn at the opening, or as its places joined.
enum class PreQueueOrder : std::uint8_t { kDraw, kArrival };
std::string_view Name(PreQueueOrder order);
constexpr PreQueueOrder Last(PreQueueOrder) { return PreQueueOrder::kArrival; }

// A pre-queue begins this long before the opening, unless the operator sets its time.
inline constexpr Seconds kPreQueueBefore{1800};

// A setting of a room that an operator set on its concert.
template <class T>
struct NamedSetting {
  T value = {};
  // The concert's `life` after the operator set the value; 0: never set. The room takes the value once, when
  // it first follows this life or a later one. So the room keeps a later change of its own settings.
  std::int64_t life = 0;
  friend bool operator==(const NamedSetting&, const NamedSetting&) = default;
};

struct NamedPreQueue {
  NamedSetting<PreQueueOrder> order = {};
  NamedSetting<std::optional<Time>> at = {};  // an empty value: kPreQueueBefore before the opening
  friend bool operator==(const NamedPreQueue&, const NamedPreQueue&) = default;
};

}  // namespace maejin
