#include "usecase/describe_shows.h"

namespace maejin {
namespace {

ConcertNames NamesIn(ShowView show) {
  return {std::move(show.title), std::move(show.artist), std::move(show.venue)};
}

}  // namespace

Task<std::optional<ShowView>> DescribeShows::Find(ScheduleId schedule) {
  auto show = bookings_.FindShow(schedule);
  if (!show) {
    // Another node may have just created the schedule.
    [[maybe_unused]] const auto loaded = co_await bookings_.LoadMissing(SaleRef::OfSchedule(schedule));
    show = bookings_.FindShow(schedule);
  }
  if (!show) co_return std::nullopt;
  co_return std::move(*show);
}

// The booking store has the newest names of its own dates. Imported dates are only in the sell-outs.
Task<void> DescribeShows::operator()(std::vector<RankedSchedule>& rows) {
  std::vector<ConcertId> missing;
  for (auto& row : rows) {
    auto show = bookings_.FindShow(row.schedule);
    if (show) row.names = NamesIn(std::move(*show));
    if (!show) missing.push_back(row.concert);
  }
  if (missing.empty()) co_return;
  auto names = co_await rankings_.NamesOf(missing);
  if (!names) co_return;
  std::size_t next = 0;
  for (auto& row : rows) {
    if (next == missing.size()) break;
    if (!row.names.title.empty() || row.concert != missing[next]) continue;
    row.names = std::move((*names)[next++]);
    if (!row.names.title.empty()) continue;
    auto show = co_await Find(row.schedule);
    if (show) row.names = NamesIn(std::move(*show));
  }
}

Task<void> DescribeShows::operator()(std::vector<RankedProgress>& rows) {
  for (auto& row : rows) {
    if (row.schedule == 0) {
      row.total_seats = bookings_.SeatsForSaleOn(row.concert_date);
      continue;
    }
    auto show = co_await Find(row.schedule);
    if (!show) continue;
    row.concert = show->concert;
    row.total_seats = show->for_sale;
    row.names = NamesIn(std::move(*show));
  }
}

}  // namespace maejin
