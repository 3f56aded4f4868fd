// Idempotent requests: a repeated request has no second effect and gets the stored answer of the first.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "store/idempotency_store.h"

namespace maejin {

// Thread-safe.
class AnswerOnce {
 public:
  AnswerOnce(IdempotencyStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  // As in IdempotencyStore, at the current time.
  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request) {
    return store_.Begin(request, clock_.Now());
  }
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) {
    return store_.Finish(request, std::move(answer));
  }
  void Abandon(const IdempotentRequest& request) { store_.Abandon(request); }

 private:
  IdempotencyStore& store_;
  const Clock& clock_;
};

}  // namespace maejin
