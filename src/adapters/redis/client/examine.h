// Is this Redis fit to carry an on-sale? Asked by `maejin doctor`, and before a node starts to serve.
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

// Connection, version, eviction, persistence, clock, scripts; of every primary. Ends with the first one that
// cannot be asked. Changes nothing but one key of its own, which it removes.
Task<std::vector<RedisFinding>> Examine(Client& client);

}  // namespace maejin::redis
