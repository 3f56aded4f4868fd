// Checks whether a Redis is fit for an on-sale: for `maejin doctor`, and before a node starts to serve.
#pragma once

#include <string>
#include <vector>

#include "adapters/redis/client/client.h"

namespace maejin::redis {

struct RedisFinding {
  enum class Health : std::uint8_t { kGood, kWarning, kBad };
  Health health = Health::kGood;
  std::string sentence;
};

// Checks connection, version, role, eviction and persistence of every primary, then scripts and clock. Where
// a primary does not answer, that is the only finding. Writes and removes the key `maejin:doctor`.
Task<std::vector<RedisFinding>> Examine(Client& client);

}  // namespace maejin::redis
