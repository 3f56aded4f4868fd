// Whose place does a request mean? A token says it, signed; without one, a user who is known may be looked up
// by name.
#pragma once

#include <optional>
#include <string_view>

#include "base/key_ring.h"
#include "domain/refusal.h"
#include "domain/waiting_room/place_token.h"

namespace maejin {

struct Visitor {
  std::string_view room;
  // Who asks, as far as the request says and the server believes.
  std::optional<std::string_view> user;
  // The queue token as sent, or empty.
  std::string_view token;
};

// `token` keeps the bytes the result points into. Refuses: kTokenInvalid (forged, altered, or of another
// room), kForbidden (somebody else's token), kUnauthorized (neither a token nor a user). Allocates nothing on
// success.
Outcome<PlaceView> FindPlace(const KeyRing& keys, const Visitor& visitor, PlaceToken& token);

}  // namespace maejin
