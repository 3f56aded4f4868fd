// A lock in the wire format of Redisson's RLock, shared with Java services.
//
// The lock is advisory: it avoids the race of two buyers for one seat, but only the seat's row in the
// database decides which buyer gets the seat. While Redis is unavailable, callers go on without the lock.
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
    kBusy,         // another holder had the lock during the whole wait
    kUnavailable,  // Redis did not answer
  };

  RedissonLock(Client& client, Times times);

  // Waits for the lock without polling: a message of its channel or the end of the other holder's lease wakes
  // the caller.
  Task<Result<Lease, Failure>> Acquire(std::string name);
  // False: the lease had ended, so another holder may have had the lock; or Redis did not answer.
  Task<bool> Release(Lease lease);

  // "redisson_lock__channel:{name}". A name that contains braces gets no additional ones.
  static std::string ChannelOf(const std::string& name);

 private:
  // One call of lock_acquire.lua.
  struct Attempt {
    bool acquired = false;
    std::uint64_t fence = 0;  // if acquired
    Millis lease_left{0};     // of the other holder
  };
  static Attempt DecodeAttempt(const Reply& reply);
  Task<Result<Lease, Failure>> Await(std::string name, std::string holder);
  Task<Result<Attempt, Failure>> Try(std::string name, std::string holder);

  Client& client_;
  Times times_;
  std::string client_id_;  // a UUID, like Redisson's
  std::atomic<std::uint64_t> next_holder_{1};
};

}  // namespace maejin::redis
