// A lease in Redis: one key with a token and a time to live. At most one client has the lease at a time.
#pragma once

#include <string>

#include "adapters/redis/client/client.h"
#include "domain/refusal.h"

namespace maejin::redis {

// One attempt of one client. Used by one coroutine.
class Lease {
 public:
  // No two concurrent attempts have the same token. The client outlives it.
  Lease(Client& client, std::string key, std::string token)
      : client_(client), key_(std::move(key)), token_(std::move(token)) {}

  // False: another attempt has the lease. Refuses: kUnavailable.
  Task<Outcome<bool>> Take(Millis ttl);
  // Has no effect if the lease has expired, even if another attempt has taken it. False: it had expired, or
  // Redis did not answer.
  Task<bool> Release();

  const std::string& token() const { return token_; }

 private:
  Client& client_;
  const std::string key_;
  const std::string token_;
};

}  // namespace maejin::redis
