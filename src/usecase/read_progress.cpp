#include "usecase/read_progress.h"

namespace maejin {

Outcome<BoardId> ReadProgress::BoardFor(ProgressBy by, WindowKind window) const {
  if (by == ProgressBy::kSchedule) {
    if (window != WindowKind::kAll)
      return Refused(Refusal::kInvalidField, "window: must be all, by schedule");
    return BoardId::kProgressSchedules;
  }
  switch (window) {
    case WindowKind::kDaily:
      return BoardId::kProgressDaily;
    case WindowKind::kWeekly:
      return BoardId::kProgressWeekly;
    case WindowKind::kAll:
      return BoardId::kProgressAll;
    case WindowKind::kMonthly:
      break;
  }
  return Refused(Refusal::kInvalidField, "window: must be daily, weekly or all");
}

Task<Outcome<RankingAnswer<RankedProgress>>> ReadProgress::Top(ProgressQuestion question) {
  const auto id = BoardFor(question.by, question.window);
  if (!id) co_return id.error();
  const auto chosen = ChooseWindow(question.window, question.at, clock_.Now(), zone_);
  const BoardWindow board{*id, chosen.window};
  const PageQuery query{board, question.first, question.count};
  auto page = co_await store_.Progress(query);
  if (!page) co_return std::move(page).error();
  co_await describe_(page->entries);
  co_return RankingAnswer<RankedProgress>{board, KeyOf(BoardOf(board.board), board.window), *std::move(page),
                                          chosen.valid_until};
}

Task<Outcome<RankedProgress>> ReadProgress::OfDate(Date concert_date, WindowKind window,
                                                   std::optional<Date> at) {
  const auto id = BoardFor(ProgressBy::kDate, window);
  if (!id) co_return id.error();
  const auto chosen = ChooseWindow(window, at, clock_.Now(), zone_);
  const BoardWindow board{*id, chosen.window};
  auto found = co_await store_.ProgressOf(board, concert_date);
  if (!found) co_return std::move(found).error();
  std::vector<RankedProgress> rows = {std::move(*found)};
  co_await describe_(rows);
  co_return std::move(rows.front());
}

}  // namespace maejin
