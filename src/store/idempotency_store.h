// Remembers the answers to requests that carried an Idempotency-Key, so that a repeated request has one
// effect.
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"

namespace maejin {

// Names one request: who asks, what, and the key they chose, hashed together; and what the body was.
struct IdempotentRequest {
  Digest id{};
  Digest fingerprint{};
  // The effect would happen again if the request ran again: that it began is on disk before it runs, so that it never
  // runs twice, whenever the process ends.
  bool announced = false;
};

struct StoredAnswer {
  int status = 200;
  std::string extra_headers;  // whole lines, as they were sent
  std::string body;
};

struct IdempotencyBegin {
  enum class Kind {
    kNew,          // go on, then Finish() or Abandon()
    kRunning,      // the first one has not finished
    kReplay,       // `answer` is the one
    kMismatch,     // the key was used with another body
    kInterrupted,  // announced, and the process ended while it ran: nobody knows whether it had its effect
  };
  Kind kind = Kind::kNew;
  std::optional<StoredAnswer> answer;
};

inline constexpr std::chrono::hours kIdempotencyKept{24};

// Entries end 24 hours after they began, the oldest earlier where there are too many. A request that was
// running when the process ended is forgotten, unless it was announced. Thread-safe.
class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;
  // Refuses: kUnavailable (the store cannot be reached).
  virtual Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) = 0;
  // Durable when it returns. Refuses: kUnavailable; the answer may still become durable and be replayed
  // later.
  virtual Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) = 0;
  // The request failed without an answer worth keeping: the key may be used again.
  virtual void Abandon(const IdempotentRequest& request) = 0;
};

}  // namespace maejin
