// Reading the boards: from memory, or from the database where a window is no longer kept.
#pragma once

#include <functional>

#include "adapters/embedded/ranking_memory.h"

namespace maejin::embedded {

struct RowSlice {
  std::size_t first = 0;
  std::size_t count = 0;
};

RankedConcert Describe(const ConcertTable& table, Row row, std::size_t index);
RankedSchedule Describe(const ScheduleTable& table, Row row, std::size_t index);

class RankingReads : public RankingMemory {
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
  using RankingMemory::RankingMemory;

 private:
  template <class Entry, class Boards>
  Task<Outcome<RankingPage<Entry>>> ReadPage(Boards SoldOuts::* which, PageQuery query);
  template <class Entry, class Boards>
  Task<Outcome<RankingPage<Entry>>> ReadRank(Boards SoldOuts::* which, RankQuery query);
  // The ranks, from 1, of the sell-out `id` on the boards `on`, each in the window of the sell-out. Empty:
  // not sold out.
  template <class Boards>
  Task<Outcome<std::vector<std::int64_t>>> RanksOn(Boards SoldOuts::* which, std::int64_t id,
                                                   std::vector<BoardId> on);
  template <class Entry, class Boards>
  static RankingPage<Entry> ReadSlice(const Boards& boards, const RankedRows& board, RowSlice slice,
                                      std::size_t visible);
  RankedProgress ProgressAt(const BoardWindow& window, const ProgressBoard& board, std::size_t index) const;
  // Lets `look` see the board, from memory or from the database, under progress_mutex_.
  Task<Outcome<Done>> WithProgress(BoardWindow window, std::function<void(const ProgressBoard&)> look);
  Task<Outcome<RankedProgress>> ProgressOfMember(BoardWindow window, std::int64_t member);
};

}  // namespace maejin::embedded
