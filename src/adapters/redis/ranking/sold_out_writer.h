// Adds sold-outs to the boards in Redis, and removes them.
#pragma once

#include <vector>

#include "adapters/redis/ranking/context.h"
#include "adapters/redis/ranking/replies.h"

namespace maejin::redis {

// `SoldOut`: ConcertSoldOut or ScheduleSoldOut. Thread-safe. Every call may refuse with kUnavailable.
class SoldOutWriter {
 public:
  // `context` outlives it.
  explicit SoldOutWriter(RankingContext& context) : context_(context) {}

  // Puts the rows, as the database has them, on their kept boards. Element i of the result belongs to row i.
  template <class SoldOut>
  Task<Outcome<std::vector<AddedRow>>> Add(std::vector<SoldOut> rows);
  // Removes the row from all its kept boards.
  template <class SoldOut>
  Task<Outcome<Done>> Remove(SoldOut row);
  // Removes members from one board. Returns how many it had.
  Task<Outcome<std::int64_t>> RemoveMembers(BoardWindow board, std::vector<std::string> members);

 private:
  RankingContext& context_;
};

}  // namespace maejin::redis
