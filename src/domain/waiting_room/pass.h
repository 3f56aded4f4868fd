// The pass of an admitted fan: an ES256 JWT that shops and gateways verify offline with
// /.well-known/jwks.json. Fields of the JWT: iss "maejin", aud "room:<room>", sub <user>, iat, exp (the
// session limit), jti, and room, epoch and number, which name the place so that the server can check for a
// revocation.
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

// The jti of a pass: the same for every pass of one admission, and without the user. So a list of revoked
// passes can be computed from the admissions, and reveals no user.
std::string PassId(std::string_view room, PlaceNumber number, Time entered_at);

std::string WritePass(const KeyRing& keys, const Pass& pass);

enum class PassFault : std::uint8_t { kInvalid, kExpired };
// Checks the signature with the key that the header names, and the expiry. The header must name ES256, so
// that no pass chooses a weaker algorithm.
Result<Pass, PassFault> ReadPass(const KeyRing& keys, std::string_view text, Time now);

}  // namespace maejin
