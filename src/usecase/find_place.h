// Finds the place that a request is about: by its signed token, or else by its authenticated user.
#pragma once

#include <optional>
#include <string_view>

#include "base/key_ring.h"
#include "domain/refusal.h"
#include "domain/waiting_room/place_token.h"

namespace maejin {

struct Visitor {
  std::string_view room;
  // The authenticated user of the request, if any.
  std::optional<std::string_view> user;
  // The queue token as sent, or empty.
  std::string_view token;
};

// The result points into `token`. Refuses: kTokenInvalid (forged, altered, or of another room), kForbidden
// (another user's token), kUnauthorized (neither a token nor a user). Allocates nothing on success.
// Thread-safe.
Outcome<PlaceView> FindPlace(const KeyRing& keys, const Visitor& visitor, PlaceToken& token);

}  // namespace maejin
