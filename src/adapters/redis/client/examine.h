// Checks whether a Redis is fit for an on-sale: for `maejin doctor`, and before a node starts to serve.
#pragma once

#include <vector>

#include "adapters/redis/client/client.h"
#include "domain/finding.h"

namespace maejin::redis {

// Checks connection, version, role, eviction and persistence of every primary, then scripts and clock. Where
// a primary does not answer, that is the only finding. Writes and removes the key `maejin:doctor`.
Task<std::vector<Finding>> Examine(Client& client);

}  // namespace maejin::redis
