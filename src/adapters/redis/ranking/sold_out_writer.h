// Adds sold-outs to the boards in Redis, and removes them.
#pragma once

#include <vector>

#include "adapters/redis/ranking/context.h"
#include "adapters/redis/ranking/replies.h"

namespace maejin::redis {

// `SoldOut`: ConcertSoldOut or ScheduleSoldOut. Thread-safe. Every call refuses with kUnavailable.
class SoldOutWriter {
 public:
  enum class Mode : std::uint8_t {
    kAdd,     // skips known rows
    kRepair,  // also adds known rows where a board lacks them, and reports rows that differ
  };

  // `context` outlives it.
  explicit SoldOutWriter(RankingContext& context) : context_(context) {}

  // Element i of the result belongs to row i.
  template <class SoldOut>
  Task<Outcome<std::vector<AddedRow>>> Add(std::vector<SoldOut> rows, Mode mode);
  // Removes the row from all its kept boards.
  template <class SoldOut>
  Task<Outcome<Done>> Remove(SoldOut row);

 private:
  RankingContext& context_;
};

}  // namespace maejin::redis
