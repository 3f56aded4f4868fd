// The durable data of the rankings: sold-out rows of payments and imports, and the reservations behind the
// progress boards.
#pragma once

#include "adapters/mysql/pool.h"
#include "store/ranking_history.h"
#include "store/sold_out_corrections.h"

namespace maejin::mysql {

class MysqlRankingHistory final : public RankingHistory, public SoldOutCorrections {
 public:
  // The pool outlives it.
  explicit MysqlRankingHistory(Pool& pool) : pool_(pool) {}

  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsAfter(ConcertId after, std::size_t count) override;
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesAfter(ScheduleId after, std::size_t count) override;
  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsWith(std::vector<ConcertId> ids) override;
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesWith(std::vector<ScheduleId> ids) override;
  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsIn(TimeRange range) override;
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesIn(TimeRange range) override;
  Task<Outcome<SoldOutCounts>> Count() override;
  // Seats and pending events of one snapshot.
  Task<Outcome<ReservedSeats>> Reserved() override;
  Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) override;
  Task<Outcome<Done>> Remove(ConcertId concert, Time now) override;
  Task<Outcome<Done>> Correct(SoldOutHistory history) override;
  Task<Outcome<Date>> PrunedBefore() override;
  Task<Outcome<Date>> Prune(Date before) override;

 private:
  Pool& pool_;
};

}  // namespace maejin::mysql
