// Idempotency keys in the embedded store: names in memory, answers in SQLite only. A replay is rare and may
// read the disk; a name must be found on every keyed request.
#pragma once

#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "adapters/embedded/journal.h"
#include "adapters/embedded/sqlite.h"
#include "store/idempotency_store.h"

namespace maejin::embedded {

// Thread-safe.
class EmbeddedIdempotencyStore final : public IdempotencyStore {
 public:
  // Loads the names that have not ended by `now`. `journal` writes to the database at `path`, and outlives
  // this.
  EmbeddedIdempotencyStore(Journal& journal, const std::string& path, Time now,
                           std::size_t most_entries = 1'000'000);

  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time now) override;
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) override;
  void Abandon(const IdempotentRequest& request) override;

  std::size_t size() const;

 private:
  struct Entry {
    Digest fingerprint{};
    Time begun_at;
    std::optional<Ticket> ticket;  // of the answer's row; absent while the request runs
    bool interrupted = false;      // its row was read at the start and holds no answer
  };
  struct HashOfDigest {
    // A SHA-256 is a hash already.
    std::size_t operator()(const Digest& digest) const {
      std::size_t word = 0;
      std::memcpy(&word, digest.data(), sizeof word);
      return word;
    }
  };
  // What the memory says of a request; new ones are remembered, and announced ones appended: `announcement` is the
  // row's ticket then.
  struct Known {
    IdempotencyBegin::Kind kind;
    Ticket announcement = 0;
    Ticket answer = 0;  // kReplay
  };
  Known Look(const IdempotentRequest& request, Time now);
  // Under mutex_.
  void Remember(const Digest& id, const Entry& entry);
  void Forget(Time now);
  StoredAnswer ReadAnswer(const Digest& id);

  Journal& journal_;
  const std::size_t most_entries_;
  mutable std::mutex mutex_;
  std::unordered_map<Digest, Entry, HashOfDigest> entries_;  // guarded by mutex_
  std::deque<std::pair<Time, Digest>> by_time_;              // guarded by mutex_; may name forgotten entries
  Time rows_forgotten_at_;                                   // guarded by mutex_
  std::mutex reader_mutex_;
  Connection reader_;  // guarded by reader_mutex_
};

}  // namespace maejin::embedded
