// Builds boards that Redis keeps from their first read on (keys.h: IsBuiltWhenRead).
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "adapters/redis/ranking/context.h"

namespace maejin::redis {

// Thread-safe.
class BoardBuilder {
 public:
  // `context` outlives it.
  explicit BoardBuilder(RankingContext& context);

  // Puts all rows of the database on the board. If the boards change meanwhile, or Redis or the database does
  // not answer, the board stays as it is; a later read tries again. Returns at once if this node already
  // builds the board.
  Task<void> Build(BoardWindow board);

 private:
  Task<void> BuildAlone(BoardWindow board);
  // False: Redis does not answer.
  Task<bool> Stage(std::string key, BoardWindow board, std::vector<ScheduleSoldOut> rows);

  RankingContext& context_;
  const std::string node_;  // distinguishes the staged boards of two nodes
  std::mutex mutex_;
  std::set<BoardWindow> building_;  // guarded by mutex_
};

}  // namespace maejin::redis
