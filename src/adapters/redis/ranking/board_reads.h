// The reading half of the ranking store on Redis, and the members that both halves use.
#pragma once

#include <optional>
#include <vector>

#include "adapters/redis/ranking/board_reader.h"
#include "adapters/redis/ranking/context.h"
#include "store/ranking_store.h"

namespace maejin::redis {

struct RankingStoreOptions {
  TimeZone zone;
  Time now;
  // False, for tests whose clock differs from Redis's clock: keys get no expiry.
  bool expire = true;
};

// Thread-safe.
class BoardReads : public maejin::RankingStore {
 public:
  Task<Outcome<RankingPage<RankedConcert>>> Concerts(PageQuery query) override;
  Task<Outcome<RankingPage<RankedSchedule>>> Schedules(PageQuery query) override;
  Task<Outcome<RankingPage<RankedProgress>>> Progress(PageQuery query) override;
  Task<Outcome<RankingPage<RankedConcert>>> ConcertRank(RankQuery query) override;
  Task<Outcome<RankingPage<RankedSchedule>>> ScheduleRank(RankQuery query) override;
  Task<Outcome<RankedProgress>> ProgressOf(BoardWindow board, Date concert_date) override;
  Task<Outcome<std::vector<ConcertNames>>> NamesOf(std::vector<ConcertId> concerts) override;
  Task<Outcome<std::optional<ConcertRanks>>> RanksOf(ConcertId concert) override;
  Task<Outcome<std::vector<std::optional<ScheduleRanks>>>> RanksOfSchedules(
      std::vector<ScheduleId> schedules) override;
  Task<Outcome<std::optional<Time>>> SoldOutAt(ConcertId concert) override;
  Task<Outcome<std::optional<Time>>> ScheduleSoldOutAt(ScheduleId schedule) override;

 protected:
  // The references outlive it.
  BoardReads(Client& client, RankingHistory& history, const RankingStoreOptions& options);

  RankingContext context_;
  BoardReader reader_;

 private:
  template <class SoldOut>
  Task<Outcome<std::optional<Time>>> SoldOutTime(std::int64_t id);
};

}  // namespace maejin::redis
