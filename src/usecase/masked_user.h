// The text that the audit log stores instead of a user id.
#pragma once

#include <string>

#include "base/key_ring.h"
#include "domain/words.h"

namespace maejin {

// "user " and a hash with the newest signing key. Ids of users can be guessed, so a hash without a key would
// reveal them.
std::string MaskedUser(const KeyRing& keys, const UserId& user);

}  // namespace maejin
