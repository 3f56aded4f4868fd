// Reads the boards: from Redis, or from the database where Redis is unavailable, incomplete or does not keep
// the window. Redis orders rows by score; this reader orders rows of equal scores exactly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/ranking/board_builder.h"
#include "adapters/redis/ranking/context.h"
#include "adapters/redis/ranking/replies.h"
#include "adapters/redis/ranking/rows.h"

namespace maejin::redis {

// Thread-safe. Every call may refuse with kUnavailable when neither Redis nor the database answers.
class BoardReader {
 public:
  // `context` outlives it.
  explicit BoardReader(RankingContext& context) : context_(context), builder_(context) {}

  // Absent: not sold out.
  template <class SoldOut>
  Task<Outcome<std::optional<SoldOut>>> Find(std::int64_t id);
  template <class SoldOut>
  Task<Outcome<PageOf<SoldOut>>> ReadPage(PageQuery query);
  // Refuses: kNotRanked.
  template <class SoldOut>
  Task<Outcome<PageOf<SoldOut>>> ReadRank(RankQuery query);
  // Absent: not sold out. One script reads the ranks of all kept boards. A row that the boards do not have
  // yet gets the rank that it will have on them.
  Task<Outcome<std::optional<ConcertRanks>>> RanksOf(ConcertId concert);
  // Element i belongs to schedule i. Absent: not sold out.
  Task<Outcome<std::vector<std::optional<ScheduleRanks>>>> RanksOfSchedules(
      std::vector<ScheduleId> schedules);

  Task<Outcome<RankingPage<RankedProgress>>> Progress(PageQuery query);
  // `member` as ProgressMember() writes it. Refuses: kNotRanked.
  Task<Outcome<RankedProgress>> ProgressOfMember(BoardWindow board, std::string member);

 private:
  // A row, and a board that it belongs on.
  template <class SoldOut>
  struct RowOnBoard {
    SoldOut row;
    BoardWindow board;
  };
  struct Position {
    std::int64_t index = 0;  // from 0
    std::int64_t total = 0;  // rows of the board, this row included
  };
  template <class SoldOut>
  Task<Outcome<PageOf<SoldOut>>> ReadRankOnCapped(RankQuery query);
  // Only for boards without a cap. Element i is the position of row i, whether or not the board has the row
  // yet.
  template <class SoldOut>
  Task<Outcome<std::vector<Position>>> PositionsOf(std::vector<RowOnBoard<SoldOut>> wanted);
  // As PositionsOf(). Absent: Redis cannot tell the position; read the database.
  template <class SoldOut>
  Task<std::vector<std::optional<Position>>> PositionsInRedis(const std::vector<RowOnBoard<SoldOut>>& wanted);

  // Absent: read the database.
  Task<std::optional<BoardRows>> ReadBoard(BoardWindow board, std::int64_t first, std::int64_t count);
  // The rows [first, first + count) of `read`, in exact order.
  template <class SoldOut>
  Task<Outcome<PageOf<SoldOut>>> Arrange(BoardWindow board, BoardRows read, std::int64_t first,
                                         std::int64_t count);
  // `words`: the arguments of ranking_progress_read.lua after the kind of member. Absent: read the database.
  // Refuses: kNotRanked.
  Task<std::optional<Outcome<ProgressRows>>> ReadProgress(BoardWindow board, std::vector<std::string> words);

  RankingContext& context_;
  BoardBuilder builder_;
};

}  // namespace maejin::redis
