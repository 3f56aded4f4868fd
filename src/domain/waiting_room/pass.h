// The pass of a fan who is inside: an ES256 JWT that shops and gateways verify offline, against
// /.well-known/jwks.json. Claims: iss "maejin", aud "room:<room>", sub <user>, iat, exp (the session limit),
// jti, and room, epoch, number: the place it stands for, so that the server can tell whether it was revoked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/waiting_room/places.h"
#include "domain/words.h"

namespace maejin {

struct Pass {
  RoomId room;
  UserId user;
  std::uint32_t epoch = 0;
  PlaceNumber number = 0;
  Time entered_at;
  Time expires_at;
};

// The same pass has the same jti each time it is written.
std::string WritePass(const KeyRing& keys, const Pass& pass);

enum class PassFault : std::uint8_t { kInvalid, kExpired };
// Checks key, signature and dates. The algorithm is the key's, whatever the header says.
Result<Pass, PassFault> ReadPass(const KeyRing& keys, std::string_view text, Time now);

}  // namespace maejin
