// Idempotency keys in the database: a request repeated on another node finds the first one's answer, or that
// it still runs.
#pragma once

#include <memory>

#include "adapters/mysql/pool.h"
#include "base/random.h"
#include "store/idempotency_store.h"

namespace maejin::mysql {

// A node that dies leaves its running requests behind; their keys are free again after this lease. Fans'
// handlers recognise their own effect, so a second run beside a slow first one is harmless, and the lease is
// short. An operator's request is never run again: after its lease it counts as interrupted.
inline constexpr Seconds kFanLease{10};
inline constexpr Seconds kOperatorLease{60};

class MysqlIdempotencyStore final : public IdempotencyStore {
 public:
  // Both outlive the store.
  MysqlIdempotencyStore(Pool& pool, Random& random);

  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) override;
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) override;
  void Abandon(const IdempotentRequest& request) override;

  // Writes what the database did not take when a request ended: keys to free, answers to keep. Call about
  // once a second while the database can be reached; blocks.
  void RetryUnwritten();
  // Removes what has ended. Call now and then; blocks.
  void Forget(Time now);

 private:
  // Ends of requests that the database does not know of. Shared with writes under way, which may outlive the
  // store.
  class Unwritten;

  Pool& pool_;
  Random& random_;
  std::shared_ptr<Unwritten> unwritten_;
};

}  // namespace maejin::mysql
