#include "adapters/redis/ranking/board_reads.h"

namespace maejin::redis {

BoardReads::BoardReads(Client& client, RankingHistory& history, const RankingStoreOptions& options)
    : context_{client,
               history,
               RankingKeys(client.address().topology == Topology::kCluster),
               BoardRetention(options.zone, options.now, options.expire),
               HistoryBoards(history, options.zone),
               SoldOutRows(history)},
      reader_(context_) {}

Task<Outcome<RankingPage<RankedConcert>>> BoardReads::Concerts(PageQuery query) {
  return reader_.ReadPage<ConcertSoldOut>(query);
}
Task<Outcome<RankingPage<RankedSchedule>>> BoardReads::Schedules(PageQuery query) {
  return reader_.ReadPage<ScheduleSoldOut>(query);
}
Task<Outcome<RankingPage<RankedConcert>>> BoardReads::ConcertRank(RankQuery query) {
  return reader_.ReadRank<ConcertSoldOut>(query);
}
Task<Outcome<RankingPage<RankedSchedule>>> BoardReads::ScheduleRank(RankQuery query) {
  return reader_.ReadRank<ScheduleSoldOut>(query);
}
Task<Outcome<RankingPage<RankedProgress>>> BoardReads::Progress(PageQuery query) {
  return reader_.Progress(query);
}
Task<Outcome<RankedProgress>> BoardReads::ProgressOf(BoardWindow board, Date concert_date) {
  return reader_.ProgressOfMember(board, FormatDate(concert_date));
}
Task<Outcome<std::vector<ConcertNames>>> BoardReads::NamesOf(std::vector<ConcertId> concerts) {
  auto rows = co_await context_.rows.Find<ConcertSoldOut>(concerts);
  if (!rows.ok()) co_return rows.error();
  std::vector<ConcertNames> names(concerts.size());
  for (std::size_t i = 0; i < concerts.size(); ++i) {
    const auto row = rows->find(concerts[i]);
    if (row != rows->end()) names[i] = {row->second.title, row->second.artist, row->second.venue};
  }
  co_return names;
}
Task<Outcome<std::optional<ConcertRanks>>> BoardReads::RanksOf(ConcertId concert) {
  return reader_.RanksOf(concert);
}

Task<Outcome<std::vector<std::optional<ScheduleRanks>>>> BoardReads::RanksOfSchedules(
    std::vector<ScheduleId> schedules) {
  return reader_.RanksOfSchedules(std::move(schedules));
}

template <class SoldOut>
Task<Outcome<std::optional<Time>>> BoardReads::SoldOutTime(std::int64_t id) {
  const auto row = co_await reader_.Find<SoldOut>(id);
  if (!row.ok()) co_return row.error();
  if (!*row) co_return std::optional<Time>{};
  co_return std::optional{(*row)->sold_out_at};
}

Task<Outcome<std::optional<Time>>> BoardReads::SoldOutAt(ConcertId concert) {
  return SoldOutTime<ConcertSoldOut>(concert);
}
Task<Outcome<std::optional<Time>>> BoardReads::ScheduleSoldOutAt(ScheduleId schedule) {
  return SoldOutTime<ScheduleSoldOut>(schedule);
}

}  // namespace maejin::redis
