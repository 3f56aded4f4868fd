// A lock that Java services share with us: Redisson's RLock on the wire.
//
// Advice only: it keeps two buyers from racing for one seat, and the database's row decides. Where Redis is
// away, nobody is kept from buying.
#pragma once

#include <cstdint>
#include <string>

#include "adapters/redis/client/client.h"
#include "base/task.h"

namespace maejin::redis {

// Thread-safe.
class RedissonLock {
 public:
  struct Times {
    Millis wait{3000};
    Millis lease{5000};
  };
  struct Lease {
    std::string name;
    std::string holder;
    std::uint64_t fence = 0;  // grows with every acquisition of this name
  };
  enum class Failure : std::uint8_t {
    kBusy,         // another held it all the time we waited
    kUnavailable,  // Redis did not answer
  };

  RedissonLock(Client& client, Times times);

  // Waits for the lock, woken by its channel or by the end of the other's lease, never by polling.
  Task<Result<Lease, Failure>> Acquire(std::string name);
  // False where the lease had ended before: another may have held it meanwhile.
  Task<bool> Release(Lease lease);

  // "redisson_lock__channel:{name}", without more braces where the name has some.
  static std::string ChannelOf(const std::string& name);

 private:
  Task<Result<Lease, Failure>> Await(std::string name, std::string holder);
  Task<CallResult> Try(std::string name, std::string holder);

  Client& client_;
  Times times_;
  std::string client_id_;  // a UUID, as Redisson's
  std::atomic<std::uint64_t> next_holder_{1};
};

}  // namespace maejin::redis
