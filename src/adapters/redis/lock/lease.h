// A lease in Redis: one key with a time to live. Its value names the attempt that took the lease. At most one
// attempt has the lease at a time.
#pragma once

#include <string>

#include "adapters/redis/client/client.h"
#include "domain/refusal.h"

namespace maejin::redis {

// One attempt of one client to take the lease. Used by one coroutine.
class Lease {
 public:
  // No two concurrent attempts have the same `token`. The client outlives the lease.
  Lease(Client& client, std::string key, std::string token)
      : client_(client), key_(std::move(key)), token_(std::move(token)) {}

  // False: another attempt has the lease. Refuses: kUnavailable.
  Task<Outcome<bool>> Take(Millis ttl);
  // Ends the lease if this attempt still has it; a lease that another attempt took after the expiry stays.
  // False: the lease had expired, or Redis did not answer.
  Task<bool> Release();

  const std::string& token() const { return token_; }

 private:
  Client& client_;
  const std::string key_;
  const std::string token_;
};

}  // namespace maejin::redis
