// Reads the boards: from Redis, or from the database where Redis is unavailable, incomplete or does not keep
// the window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/ranking/context.h"
#include "adapters/redis/ranking/replies.h"
#include "adapters/redis/ranking/rows.h"

namespace maejin::redis {

// Thread-safe. Every call refuses with kUnavailable when neither Redis nor the database answers.
class BoardReader {
 public:
  // `context` outlives it.
  explicit BoardReader(RankingContext& context) : context_(context) {}

  // Absent: not sold out.
  template <class SoldOut>
  Task<Outcome<std::optional<SoldOut>>> Find(std::int64_t id);
  template <class SoldOut>
  Task<Outcome<PageOf<SoldOut>>> ReadPage(PageQuery query);
  // Refuses: kNotRanked.
  template <class SoldOut>
  Task<Outcome<PageOf<SoldOut>>> ReadRank(RankQuery query);
  // Absent: not sold out. One script reads the ranks of all kept boards.
  Task<Outcome<std::optional<ConcertRanks>>> RanksOf(ConcertId concert);

  Task<Outcome<RankingPage<RankedProgress>>> Progress(PageQuery query);
  // `member` as ProgressMember() writes it. Refuses: kNotRanked.
  Task<Outcome<RankedProgress>> ProgressOfMember(BoardWindow board, std::string member);

 private:
  using ReadWords = std::vector<std::string>;

  // `words`: the arguments of ranking_read.lua after the cap and the details flag. Absent: read the database.
  // Refuses: kNotRanked.
  Task<std::optional<Outcome<BoardRows>>> ReadBoard(BoardWindow board, ReadWords words);
  // Absent outside: read the database.
  template <class SoldOut>
  Task<std::optional<Outcome<std::optional<SoldOut>>>> FindInRedis(std::int64_t id);

  RankingContext& context_;
};

}  // namespace maejin::redis
