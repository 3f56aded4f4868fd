// The port that stores the answers to requests with an Idempotency-Key, so that a retry has no second effect.
// Only requests with an effect are stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/ids.h"
#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"

namespace maejin {

// Stored answers per caller. A fan needs a handful, an operator's script some thousands.
inline constexpr std::uint32_t kKeysPerFan = 1'000;
inline constexpr std::uint32_t kKeysPerOperator = 100'000;
inline constexpr std::uint32_t kKeysUnlimited = 0;

// The identity of a request: caller, method, path and key hashed together, and a hash of the body.
struct IdempotentRequest {
  Digest id{};
  Digest fingerprint{};
  // The authenticated caller, hashed. Never an address: clients behind one proxy share it.
  Digest caller{};
  std::uint32_t quota = kKeysPerFan;
  // True: the handler cannot recognise its own effect, so a second run would repeat it. Before the handler
  // runs, the store durably records that the request began. It keeps this record for kIdempotencyKept.
  bool announced = false;
  // The run that Begin() started, as a fence: Finish() and Abandon() of a replaced run change nothing.
  Id128 attempt{};
};

struct StoredAnswer {
  int status = 200;
  std::string extra_headers;  // complete header lines, as sent
  std::string body;
};

struct IdempotencyBegin {
  enum class Kind {
    kNew,          // run the request, then call Finish() or Abandon()
    kRunning,      // the first request has not finished
    kReplay,       // return `answer`
    kMismatch,     // the key was used with another body
    kInterrupted,  // the process ended while an announced request ran: its effect is unknown
  };
  Kind kind = Kind::kNew;
  std::optional<StoredAnswer> answer;
  // kNew: to be given to Finish() or Abandon() as IdempotentRequest::attempt.
  Id128 attempt{};
};

inline constexpr std::chrono::hours kIdempotencyKept{24};

// The refusal of a new key after the `quota` of its caller is used up.
inline Refused TooManyKeys(std::uint32_t quota) {
  const Quota keys{.name = "idempotency-keys",
                   .limit = quota,
                   .window_seconds = std::chrono::seconds(kIdempotencyKept).count()};
  Refused refused{Refusal::kTooManyRequests, keys, "too many Idempotency-Keys of one caller in 24 hours"};
  refused.retry_after_seconds = 3600;
  return refused;
}

// An entry ends 24 hours after its request began. If there are too many entries, the store evicts the oldest
// ones that are not announced. A request that ran when the process ended is forgotten, unless it was
// announced. Thread-safe.
class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;
  // Refuses: kTooManyRequests (the caller has `quota` answers remembered, and this key is not among them),
  // kUnavailable (the store cannot be reached).
  virtual Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) = 0;
  // Durable when it returns. Refuses: kUnavailable; the store goes on trying to write the answer.
  virtual Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) = 0;
  // Call if the request had no effect: frees the key, at the latest when the store can be reached again.
  virtual void Abandon(const IdempotentRequest& request) = 0;
};

}  // namespace maejin
