// The authenticated caller of a fan's request, as a text for Idempotency. The text also names the kind of
// caller, so that a user never equals a queue token or a reservation of the same name.
#pragma once

#include "base/key_ring.h"
#include "http/idempotency.h"
#include "http/identity.h"

namespace maejin::http {

// Every caller function below refuses what `identity` refuses: kUnauthorized, kForbidden, kInvalidField. The
// references outlive the result.

// The user. Also refuses: kUnauthorized (the request names no user).
CallerOf CallerByUser(const Identity& identity);

// The user, the place of a verified queue token, or both where the request shows both. Also refuses:
// kTokenInvalid (forged or altered), kUnauthorized (neither user nor token; where users are signed: no user).
CallerOf CallerByUserOrQueueToken(const Identity& identity, const KeyRing& keys);

// The user. If users are trusted and the request names none: the reservation in the path, whose 128 random
// bits authorise such a request. Also refuses: kUnauthorized (no user, although users are signed).
CallerOf CallerByUserOrReservation(const Identity& identity);

}  // namespace maejin::http
