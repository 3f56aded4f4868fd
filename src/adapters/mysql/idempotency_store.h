// Idempotency keys in the database. A request that is repeated on another node gets the stored answer, or a
// refusal while the first request is running.
#pragma once

#include <memory>

#include "adapters/mysql/pool.h"
#include "base/random.h"
#include "store/idempotency_store.h"

namespace maejin::mysql {

// The lease of a running request. If its node dies, the key of a fan's request is free after the lease. The
// handler of a fan's request recognises its own effect, so a second run is harmless and the lease is short.
// An operator's request never runs again: after its lease it counts as interrupted.
inline constexpr Seconds kFanLease{10};
inline constexpr Seconds kOperatorLease{60};

class MysqlIdempotencyStore final : public IdempotencyStore {
 public:
  // Both outlive the store.
  MysqlIdempotencyStore(Pool& pool, Random& random);

  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) override;
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) override;
  void Abandon(const IdempotentRequest& request) override;

  // Writes the ends of requests that failed to be written: frees keys and stores answers. Call about once a
  // second while the database is reachable. Blocks.
  void RetryUnwritten();
  // Deletes expired rows. Call about once a minute. Blocks.
  void Forget(Time now);

 private:
  // Ends of requests that are not in the database yet. Shared with writes in flight, which may outlive the
  // store.
  class Unwritten;

  Pool& pool_;
  Random& random_;
  std::shared_ptr<Unwritten> unwritten_;
};

}  // namespace maejin::mysql
