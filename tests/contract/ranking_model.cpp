#include "tests/contract/ranking_model.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/run_task.h"

namespace maejin {
namespace {

constexpr bool InSeconds(BoardId board) {
  return board == BoardId::kComposite || board == BoardId::kSchedulesDaily ||
         board == BoardId::kSchedulesWeekly || board == BoardId::kSchedulesMonthly;
}

PlainRow RowOf(const ConcertSoldOut& fact) {
  return {ToMillis(fact.sold_out_at) - ToMillis(fact.booking_open_at), fact.dates,
          ToMillis(fact.booking_open_at), fact.concert};
}

PlainRow RowOf(const ScheduleSoldOut& fact) {
  return {ToMillis(fact.sold_out_at) - ToMillis(fact.started_at), 0, ToMillis(fact.started_at),
          fact.schedule};
}

template <class Facts>
void Collect(std::map<BoardWindow, std::vector<PlainRow>>& boards, BoardId board, const Facts& facts) {
  for (const auto& [id, fact] : facts) boards[At(board, fact.sold_out_at)].push_back(RowOf(fact));
}

}  // namespace

ConcertSoldOut ConcertFact(ConcertId id, Time opening, Millis duration, std::int64_t dates) {
  return {.concert = id,
          .title = "Concert " + std::to_string(id),
          .artist = "Artist " + std::to_string(id % 7),
          .venue = "Venue " + std::to_string(id % 3),
          .dates = dates,
          .seats = dates * 50,
          .booking_open_at = opening,
          .sold_out_at = opening + duration};
}

ScheduleSoldOut ScheduleFact(ScheduleId id, Time start, Millis duration) {
  return {.schedule = id,
          .concert = id / 10,
          .concert_date = *ParseDate("2026-03-01"),
          .seats = 50,
          .started_at = start,
          .sold_out_at = start + duration};
}

BoardWindow At(BoardId board, const char* day) {
  return {board, WindowOf(BoardOf(board).window, *ParseDate(day))};
}
BoardWindow At(BoardId board, Time instant) {
  return {board, WindowOf(BoardOf(board).window, instant, kSeoul)};
}

bool RightOrder(const PlainRow& a, const PlainRow& b, bool seconds) {
  const std::int64_t divisor = seconds ? 1000 : 1;
  return std::tuple(a.duration_ms / divisor, -a.dates, a.started_ms, a.id) <
         std::tuple(b.duration_ms / divisor, -b.dates, b.started_ms, b.id);
}

void BruteForce::Add(const BookingEvent& event) {
  if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact))
    concerts_.try_emplace(concert->concert, *concert);
  if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact))
    schedules_.try_emplace(schedule->schedule, *schedule);
}

std::map<BoardWindow, std::vector<std::int64_t>> BruteForce::Boards() const {
  std::map<BoardWindow, std::vector<PlainRow>> boards;
  for (const auto& board : maejin::Boards()) {
    if (board.source == BoardSource::kSoldOutConcerts) Collect(boards, board.id, concerts_);
    if (board.source == BoardSource::kSoldOutSchedules) Collect(boards, board.id, schedules_);
  }
  std::map<BoardWindow, std::vector<std::int64_t>> ids;
  for (auto& [window, rows] : boards) {
    const bool seconds = InSeconds(window.board);
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return less_(a, b, seconds); });
    if (window.board == BoardId::kComposite && rows.size() > 100) rows.resize(100);
    for (const auto& row : rows) ids[window].push_back(row.id);
  }
  return ids;
}

std::vector<BookingEvent> RandomHistory(std::mt19937& chance, std::size_t count) {
  constexpr std::array<std::int64_t, 8> kDates{1, 2, 90, 91, 99, 100, 101, 400};
  const auto pick = [&](std::int64_t below) { return static_cast<std::int64_t>(chance()) % below; };
  // Few different openings, durations and numbers of dates, so that many rows differ in one field only.
  const auto opening_of = [&] {
    const auto days = pick(3) == 0 ? pick(500) : pick(4) * 150;
    return kRankingNow - std::chrono::days{days} - Seconds{pick(3)} - Millis{pick(3) * 400};
  };
  const auto duration_of = [&]() -> Millis {
    if (pick(2) == 0) return Millis{pick(40) * 100};
    return Seconds{9007 + pick(3) - 1} * (pick(4) == 0 ? 1000 : 1) + Millis{pick(2) * 600};
  };
  std::vector<BookingEvent> events;
  for (std::size_t i = 0; i < count; ++i) {
    const auto opening = opening_of();
    const auto duration = duration_of();
    if (pick(2) == 0) {
      const auto dates = kDates[static_cast<std::size_t>(pick(kDates.size()))];
      events.push_back({i + 1, ConcertFact(1 + pick(400), opening, duration, dates)});
    } else {
      events.push_back({i + 1, ScheduleFact(1 + pick(400), opening, duration)});
    }
  }
  return events;
}

std::vector<std::int64_t> Ids(RankingStore& store, const BoardWindow& board, std::int64_t count) {
  std::vector<std::int64_t> ids;
  const PageQuery query{board, 1, count};
  if (BoardOf(board.board).source == BoardSource::kSoldOutConcerts) {
    const auto page = RunTask(store.Concerts(query));
    for (const auto& entry : page->entries) ids.push_back(entry.concert);
  } else {
    const auto page = RunTask(store.Schedules(query));
    for (const auto& entry : page->entries) ids.push_back(entry.schedule);
  }
  return ids;
}

}  // namespace maejin
