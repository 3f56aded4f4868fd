// The durable changes of a room, for the store to write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "domain/waiting_room/places.h"

namespace maejin {

// Why a place or slot ended.
enum class Ending : std::uint8_t { kLeft, kPaid, kExpired, kAbandoned, kRevoked };
inline constexpr std::size_t kEndings = 5;
std::string_view Name(Ending ending);

struct RoomChange {
  enum class Kind : std::uint8_t { kJoined, kEntered, kEnded, kRoom };
  Kind kind = Kind::kRoom;
  PlaceNumber number = 0;  // not for kRoom
  Time at{};
  Ending ending = Ending::kLeft;  // kEnded only
  bool was_inside = false;        // kEnded only
  bool no_show = false;           // kEnded only: was admitted and never seen inside
  // kEnded of a slot: when it began, and the latest end of its pass.
  Time entered_at{};
  Time session_ends_at{};
  // kRoom: the session limit was lowered from this value, for which passes of present slots may be valid.
  std::optional<Seconds> earlier_session_limit = {};
};

}  // namespace maejin
