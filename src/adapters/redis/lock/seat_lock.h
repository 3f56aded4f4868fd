// Seat locks shared with Java services: Redisson's RLock on `lock:seat:42:7-13`.
#pragma once

#include "adapters/redis/lock/redisson_lock.h"
#include "store/seat_lock.h"

namespace maejin::redis {

// Thread-safe.
class RedisSeatLock final : public SeatLock {
 public:
  // The client outlives the lock and its leases.
  explicit RedisSeatLock(Client& client, RedissonLock::Times times = {})
      : client_(client), lock_(std::make_shared<RedissonLock>(client, times)) {}

  Task<Outcome<std::unique_ptr<Lease>>> Take(SeatChoice choice) override;

  // "lock:seat:42:7-13"
  static std::string NameOf(ConcertId concert, ScheduleId schedule, SeatNumber seat);

 private:
  class Leases;

  Client& client_;
  std::shared_ptr<RedissonLock> lock_;
};

}  // namespace maejin::redis
