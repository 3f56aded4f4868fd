// The return code: proves to a site, once and for 60 seconds, that its visitor was admitted. Text:
// base64url(payload) "." base64url(HMAC-SHA-256(payload)); the payload names key, place, target origin, end
// and a random id (jti). It is bound to a room and to the origin of the target.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/key_ring.h"
#include "base/time.h"
#include "domain/waiting_room/places.h"
#include "domain/words.h"

namespace maejin {

inline constexpr Seconds kReturnCodeLife{60};

struct ReturnCode {
  Id128 id;  // a site may redeem it once
  RoomId room;
  UserId user;
  PlaceNumber number = 0;
  std::uint32_t epoch = 0;
  std::string origin;  // "https://shop.example"
  Time expires_at;
};

std::string WriteReturnCode(const KeyRing& keys, const ReturnCode& code);

// Absent: forged, altered, or past its end.
std::optional<ReturnCode> ReadReturnCode(const KeyRing& keys, std::string_view text, Time now);

}  // namespace maejin
