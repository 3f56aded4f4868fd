// Idempotency keys in the embedded store. The ids of fans' requests are in memory, because every keyed
// request looks one up; their answers are only in SQLite, because replays are rare. Operators' requests
// (announced) are looked up in SQLite: they are few, and fans' keys must never evict them.
#pragma once

#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "adapters/embedded/journal.h"
#include "adapters/embedded/sqlite.h"
#include "store/idempotency_store.h"

namespace maejin::embedded {

// Thread-safe.
class EmbeddedIdempotencyStore final : public IdempotencyStore {
 public:
  // Loads the requests that have not ended by `now`. The store keeps at most `most_answers` answers of fans,
  // and evicts the oldest. `journal` writes to the database at `path`, and outlives this.
  EmbeddedIdempotencyStore(Journal& journal, const std::string& path, Time now,
                           std::size_t most_answers = 1'000'000);

  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) override;
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) override;
  void Abandon(const IdempotentRequest& request) override;

  // The number of requests in memory: running requests, and answered requests of fans.
  std::size_t size() const;

 private:
  // A caller as 8 bytes of its hash. A collision only makes two callers share a quota, and cannot be produced
  // on purpose.
  using Caller = std::uint64_t;
  enum class State : std::uint8_t { kRunning, kAnswered, kAbandoned };
  struct Entry {
    Digest fingerprint{};
    Time begun_at;
    Ticket ticket = 0;  // the ticket of the row with this state
    Caller caller = 0;
    State state = State::kRunning;
  };
  struct HashOfDigest {
    // A SHA-256 needs no further hashing.
    std::size_t operator()(const Digest& digest) const {
      std::size_t word = 0;
      std::memcpy(&word, digest.data(), sizeof word);
      return word;
    }
  };
  // An answered request of a fan, kept for a day. For an operator's request, memory has only a Counted, for
  // the quota.
  struct Remembered {
    Time begun_at;
    Digest id;
  };
  struct Counted {
    Time begun_at;
    Caller caller;
  };
  struct Found {
    IdempotencyBegin begin;
    Ticket wait_for = 0;  // the ticket of the announcement's row, or of the answer's
  };

  void Load(Time now);
  // Finds the request, or starts it as running. Call with mutex_ held.
  Outcome<Found> FindOrStart(const IdempotentRequest& request, Time now);
  std::optional<IdempotencyBegin> FindOnDisk(const IdempotentRequest& request, Time now);
  void Release(Caller caller);
  void DropExpired(Time now);
  void EvictOldest();
  void DropCommitted();
  std::optional<StoredAnswer> ReadAnswer(const Digest& id);

  Journal& journal_;
  const std::size_t most_answers_;
  mutable std::mutex mutex_;                                 // taken before reader_mutex_
  std::unordered_map<Digest, Entry, HashOfDigest> entries_;  // guarded by mutex_
  std::unordered_map<Caller, std::uint32_t> keys_of_;        // guarded by mutex_; running and answered
  std::deque<Remembered> answered_;                          // guarded by mutex_; of fans
  std::deque<Counted> operators_;                            // guarded by mutex_
  // Operators' entries that may not be on disk yet: lookups read them from memory.
  std::vector<Digest> uncommitted_;  // guarded by mutex_
  Time rows_dropped_at_;             // guarded by mutex_
  std::mutex reader_mutex_;
  Connection reader_;  // guarded by reader_mutex_
};

}  // namespace maejin::embedded
