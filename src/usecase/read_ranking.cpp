#include "usecase/read_ranking.h"

namespace maejin {

ChosenWindow ChooseWindow(WindowKind kind, std::optional<Date> at, Time now, const TimeZone& zone) {
  if (kind == WindowKind::kAll) return {};
  if (at) return {WindowOf(kind, *at), {}};
  const auto window = WindowOf(kind, now, zone);
  return {window, EndOf(window, zone)};
}

std::optional<RankingVersions> ReadRanking::VersionsAtOnce() const {
  const auto boards = store_.VersionsAtOnce();
  const auto catalogue = bookings_.CatalogueVersionAtOnce();
  if (!boards || !catalogue) return {};
  return RankingVersions{boards->sold_outs + *catalogue, boards->progress + *catalogue};
}

Task<Outcome<RankingAnswer<RankedConcert>>> ReadRanking::Concerts(RankingQuestion question) {
  const auto chosen = ChooseWindow(question.window, question.at, clock_.Now(), zone_);
  const BoardWindow board{ConcertBoard(question.window), chosen.window};
  const PageQuery query{board, question.first, question.count};
  auto page = co_await store_.Concerts(query);
  if (!page) co_return std::move(page).error();
  co_return RankingAnswer<RankedConcert>{board, KeyOf(BoardOf(board.board), board.window), *std::move(page),
                                         chosen.valid_until};
}

Task<Outcome<RankingAnswer<RankedSchedule>>> ReadRanking::Schedules(RankingQuestion question) {
  const auto id = ScheduleBoard(question.window);
  if (!id) co_return Refused(Refusal::kInvalidField, "window: must be daily, weekly or monthly");
  const auto chosen = ChooseWindow(question.window, question.at, clock_.Now(), zone_);
  const BoardWindow board{*id, chosen.window};
  const PageQuery query{board, question.first, question.count};
  auto page = co_await store_.Schedules(query);
  if (!page) co_return std::move(page).error();
  co_await describe_(page->entries);
  co_return RankingAnswer<RankedSchedule>{board, KeyOf(BoardOf(board.board), board.window), *std::move(page),
                                          chosen.valid_until};
}

Task<Outcome<RankingAnswer<RankedConcert>>> ReadRanking::Composite(std::int64_t count) {
  const BoardWindow board{BoardId::kComposite, {}};
  const PageQuery query{board, 1, count};
  auto page = co_await store_.Concerts(query);
  if (!page) co_return std::move(page).error();
  co_return RankingAnswer<RankedConcert>{board, KeyOf(BoardOf(board.board), {}), *std::move(page), {}};
}

Task<Outcome<RankingAnswer<RankedConcert>>> ReadRanking::RankOf(RankQuestion question) {
  auto day = question.at;
  if (!day) {
    const auto sold_out_at = co_await store_.SoldOutAt(question.id);
    if (!sold_out_at) co_return sold_out_at.error();
    if (!*sold_out_at) co_return Refused(Refusal::kNotRanked, std::to_string(question.id));
    day = zone_.LocalDay(**sold_out_at);
  }
  const BoardWindow board{ConcertBoard(question.window), WindowOf(question.window, *day)};
  const RankQuery query{board, question.id, question.around};
  auto page = co_await store_.ConcertRank(query);
  if (!page) co_return std::move(page).error();
  co_return RankingAnswer<RankedConcert>{
      board, KeyOf(BoardOf(board.board), board.window), *std::move(page), {}};
}

Task<Outcome<RankingAnswer<RankedSchedule>>> ReadRanking::RankOfSchedule(RankQuestion question) {
  const auto id = ScheduleBoard(question.window);
  if (!id) co_return Refused(Refusal::kInvalidField, "window: must be daily, weekly or monthly");
  auto day = question.at;
  if (!day) {
    const auto sold_out_at = co_await store_.ScheduleSoldOutAt(question.id);
    if (!sold_out_at) co_return sold_out_at.error();
    if (!*sold_out_at) co_return Refused(Refusal::kNotRanked, std::to_string(question.id));
    day = zone_.LocalDay(**sold_out_at);
  }
  const BoardWindow board{*id, WindowOf(question.window, *day)};
  const RankQuery query{board, question.id, question.around};
  auto page = co_await store_.ScheduleRank(query);
  if (!page) co_return std::move(page).error();
  co_await describe_(page->entries);
  co_return RankingAnswer<RankedSchedule>{
      board, KeyOf(BoardOf(board.board), board.window), *std::move(page), {}};
}

}  // namespace maejin
