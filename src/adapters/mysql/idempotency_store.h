// Idempotency keys in the database: a request repeated on another node finds the stored answer, or that the
// first one is running.
#pragma once

#include <memory>

#include "adapters/mysql/pool.h"
#include "base/random.h"
#include "store/idempotency_store.h"

namespace maejin::mysql {

// A running request of a dead node frees its key after this lease. Handlers of fans recognise their own
// effect, so a second run is harmless and the lease is short. An operator's request is never run again: after
// its lease it counts as interrupted.
inline constexpr Seconds kFanLease{10};
inline constexpr Seconds kOperatorLease{60};

class MysqlIdempotencyStore final : public IdempotencyStore {
 public:
  // Both outlive the store.
  MysqlIdempotencyStore(Pool& pool, Random& random);

  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) override;
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) override;
  void Abandon(const IdempotentRequest& request) override;

  // Writes the ends of requests that could not be written at their time: keys to free, answers to store. Call
  // about once a second while the database is reachable. Blocks.
  void RetryUnwritten();
  // Deletes ended rows. Call about once a minute. Blocks.
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
