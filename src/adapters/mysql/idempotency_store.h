// Idempotency keys in the database: a request repeated on another node finds the first one's answer, or that
// it still runs.
#pragma once

#include "adapters/mysql/pool.h"
#include "base/random.h"
#include "store/idempotency_store.h"

namespace maejin::mysql {

// A node that dies leaves its running requests behind; their keys are free again after this.
inline constexpr Seconds kRequestRunsAtMost{60};

class MysqlIdempotencyStore final : public IdempotencyStore {
 public:
  // Both outlive the store.
  MysqlIdempotencyStore(Pool& pool, Random& random) : pool_(pool), random_(random) {}

  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) override;
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) override;
  void Abandon(const IdempotentRequest& request) override;

  // Removes what has ended. Call now and then; blocks.
  void Forget(Time now);

 private:
  Pool& pool_;
  Random& random_;
};

}  // namespace maejin::mysql
