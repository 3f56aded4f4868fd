// Edge cases of time: instants at the edges of days, weeks, months, clock changes and leap days, and
// durations and numbers of dates beyond the precision of scores. Expected windows and orders are literal.
#include <algorithm>
#include <array>

#include "base/run_task.h"
#include "tests/contract/ranking_contract.h"
#include "tests/contract/ranking_model.h"

namespace maejin {
namespace {

struct Corner {
  const char* zone;
  const char* instant;
  const char* day;
  const char* monday;
  const char* month;
  const char* week_text;
};
constexpr auto kSeoulName = "Asia/Seoul";
constexpr auto kNewYorkName = "America/New_York";

// clang-format off
constexpr Corner kCorners[] = {
  // the ISO year of a week differs from the year of its days
  {kSeoulName,   "2025-12-28T23:59:59.999+09:00", "2025-12-28", "2025-12-22", "2025-12-01", "2025-W52"},
  {kSeoulName,   "2025-12-29T00:00:00.000+09:00", "2025-12-29", "2025-12-29", "2025-12-01", "2026-W01"},
  {kSeoulName,   "2026-12-31T23:59:59.999+09:00", "2026-12-31", "2026-12-28", "2026-12-01", "2026-W53"},
  {kSeoulName,   "2027-01-01T00:00:00.000+09:00", "2027-01-01", "2026-12-28", "2027-01-01", "2026-W53"},
  {kSeoulName,   "2027-01-03T23:59:59.999+09:00", "2027-01-03", "2026-12-28", "2027-01-01", "2026-W53"},
  {kSeoulName,   "2027-01-04T00:00:00.000+09:00", "2027-01-04", "2027-01-04", "2027-01-01", "2027-W01"},
  // leap day
  {kSeoulName,   "2028-02-28T23:59:59.999+09:00", "2028-02-28", "2028-02-28", "2028-02-01", "2028-W09"},
  {kSeoulName,   "2028-02-29T00:00:00.000+09:00", "2028-02-29", "2028-02-28", "2028-02-01", "2028-W09"},
  {kSeoulName,   "2028-02-29T23:59:59.999+09:00", "2028-02-29", "2028-02-28", "2028-02-01", "2028-W09"},
  {kSeoulName,   "2028-03-01T00:00:00.000+09:00", "2028-03-01", "2028-02-28", "2028-03-01", "2028-W09"},
  // Seoul's clocks went forward in May 1988 and back in October
  {kSeoulName,   "1988-05-07T14:59:59.999Z",      "1988-05-07", "1988-05-02", "1988-05-01", "1988-W18"},
  {kSeoulName,   "1988-05-07T15:00:00.000Z",      "1988-05-08", "1988-05-02", "1988-05-01", "1988-W18"},
  {kSeoulName,   "1988-05-08T13:59:59.999Z",      "1988-05-08", "1988-05-02", "1988-05-01", "1988-W18"},
  {kSeoulName,   "1988-05-08T14:00:00.000Z",      "1988-05-09", "1988-05-09", "1988-05-01", "1988-W19"},
  {kSeoulName,   "1988-10-09T14:59:59.999Z",      "1988-10-09", "1988-10-03", "1988-10-01", "1988-W40"},
  {kSeoulName,   "1988-10-09T15:00:00.000Z",      "1988-10-10", "1988-10-10", "1988-10-01", "1988-W41"},
  // New York: a day of 23 hours, a day of 25
  {kNewYorkName, "2026-03-08T04:59:59.999Z",      "2026-03-07", "2026-03-02", "2026-03-01", "2026-W10"},
  {kNewYorkName, "2026-03-08T05:00:00.000Z",      "2026-03-08", "2026-03-02", "2026-03-01", "2026-W10"},
  {kNewYorkName, "2026-03-09T03:59:59.999Z",      "2026-03-08", "2026-03-02", "2026-03-01", "2026-W10"},
  {kNewYorkName, "2026-03-09T04:00:00.000Z",      "2026-03-09", "2026-03-09", "2026-03-01", "2026-W11"},
  {kNewYorkName, "2026-11-01T03:59:59.999Z",      "2026-10-31", "2026-10-26", "2026-10-01", "2026-W44"},
  {kNewYorkName, "2026-11-01T04:00:00.000Z",      "2026-11-01", "2026-10-26", "2026-11-01", "2026-W44"},
  {kNewYorkName, "2026-11-02T04:59:59.999Z",      "2026-11-01", "2026-10-26", "2026-11-01", "2026-W44"},
  {kNewYorkName, "2026-11-02T05:00:00.000Z",      "2026-11-02", "2026-11-02", "2026-11-01", "2026-W45"},
};
// clang-format on

std::string Without(std::string text, char c) {
  std::erase(text, c);
  return text;
}

// The window of a board by its literal first day, and its key.
std::pair<BoardWindow, std::string> Expected(const Board& board, const Corner& corner) {
  const bool dashed = board.source == BoardSource::kProgress;
  const auto prefix = std::string(board.key_prefix);
  switch (board.window) {
    case WindowKind::kDaily:
      return {{board.id, {board.window, *ParseDate(corner.day)}},
              prefix + (dashed ? corner.day : Without(corner.day, '-'))};
    case WindowKind::kWeekly:
      return {{board.id, {board.window, *ParseDate(corner.monday)}}, prefix + corner.week_text};
    case WindowKind::kMonthly:
      return {{board.id, {board.window, *ParseDate(corner.month)}},
              prefix + Without(corner.month, '-').substr(0, 6)};
    case WindowKind::kAll:
      break;
  }
  return {{board.id, {}}, prefix};
}

std::int64_t RowsOn(RankingStore& store, const BoardWindow& window) {
  if (BoardOf(window.board).source != BoardSource::kProgress)
    return static_cast<std::int64_t>(Ids(store, window).size());
  return RunTask(store.Progress({window, 1, 10}))->total;
}

void RecordAt(RankingBed& bed, Time instant) {
  const std::vector<BookingEvent> events{
      {1, ConcertFact(1, instant - Seconds{60}, Seconds{60})},
      {2, ScheduleFact(10, instant - Seconds{60}, Seconds{60})},
      {3, ProgressChanged{10, *ParseDate("2029-01-01"), 1, instant}},
  };
  bed.Record(events);
}

// A sell-out and a hold at the instant are in the window of the table and not in its neighbours.
void ExpectIn(RankingStore& store, const Corner& corner, const Board& board) {
  const auto [window, key] = Expected(board, corner);
  SCOPED_TRACE(key);
  EXPECT_EQ(KeyOf(board, window.window), key);
  EXPECT_EQ(RowsOn(store, window), 1);
  if (board.window == WindowKind::kAll) return;
  const auto day_before = Date{std::chrono::sys_days{window.window.first_day} - std::chrono::days{1}};
  EXPECT_EQ(RowsOn(store, {board.id, WindowOf(board.window, day_before)}), 0);
  EXPECT_EQ(RowsOn(store, {board.id, WindowOf(board.window, DayAfter(window.window))}), 0);
}

TEST_P(RankingContract, EveryBoardAssignsEdgeInstantsToTheirWindow) {
  for (const auto& corner : kCorners) {
    SCOPED_TRACE(std::string(corner.instant) + " in " + corner.zone);
    const auto instant = *ParseTime(corner.instant);
    const auto bed = GetParam().make_in(instant, *TimeZone::Find(corner.zone));
    RecordAt(*bed, instant);
    for (const auto& board : Boards()) ExpectIn(bed->store(), corner, board);
  }
}

TEST_P(RankingContract, EdgeInstantsKeepTheirWindowAfterRetention) {
  for (const auto& corner : kCorners) {
    SCOPED_TRACE(std::string(corner.instant) + " in " + corner.zone);
    const auto instant = *ParseTime(corner.instant);
    const auto bed = GetParam().make_in(instant, *TimeZone::Find(corner.zone));
    RecordAt(*bed, instant);
    bed->Restart(instant + std::chrono::days{1000});
    for (const auto& board : Boards()) {
      // A test bed has no reservations, so no progress is rebuilt.
      if (board.source != BoardSource::kProgress) ExpectIn(bed->store(), corner, board);
    }
  }
}

constexpr std::int64_t kDay = 86'400'000;
// Ten years with their leap days.
constexpr std::int64_t kDurations[] = {
    0, 1, 9'006'000, 9'007'000, 9'008'000, 107 * kDay, 10 * 365 * kDay + 3 * kDay};
constexpr std::int64_t kDates[] = {400, 101, 100, 91, 90, 1};

// Every duration with every number of dates, all sold out at the same time, so in one window.
struct Grid {
  std::vector<BookingEvent> events;
  std::vector<std::int64_t> by_millis;
  std::vector<std::int64_t> by_seconds;
  std::vector<std::int64_t> schedules;
};

Grid MakeGrid() {
  Grid grid;
  const auto id_of = [](std::size_t duration, std::size_t dates) {
    return static_cast<std::int64_t>(1000 - duration * 100 - dates);  // ids in reverse order
  };
  for (std::size_t i = 0; i < std::size(kDurations); ++i) {
    const Millis duration{kDurations[i]};
    for (std::size_t j = 0; j < std::size(kDates); ++j) {
      grid.events.push_back(
          {grid.events.size() + 1, ConcertFact(id_of(i, j), kRankingNow - duration, duration, kDates[j])});
      grid.by_millis.push_back(id_of(i, j));
    }
    grid.events.push_back(
        {grid.events.size() + 1, ScheduleFact(id_of(i, 0), kRankingNow - duration, duration)});
  }
  // In whole seconds 0 ms and 1 ms are a tie: more dates first, then the earlier opening (of 1 ms).
  for (std::size_t j = 0; j < std::size(kDates); ++j) {
    grid.by_seconds.push_back(id_of(1, j));
    grid.by_seconds.push_back(id_of(0, j));
  }
  grid.by_seconds.insert(grid.by_seconds.end(), grid.by_millis.begin() + 2 * std::size(kDates),
                         grid.by_millis.end());
  for (const auto i : std::to_array<std::size_t>({1, 0, 2, 3, 4, 5, 6}))
    grid.schedules.push_back(id_of(i, 0));
  return grid;
}

TEST_P(RankingContract, EveryBoardOrdersEveryDurationWithEveryNumberOfDates) {
  auto grid = MakeGrid();
  std::mt19937 chance(5);
  std::shuffle(grid.events.begin(), grid.events.end(), chance);
  const auto bed = GetParam().make(kRankingNow);
  bed->Record(grid.events);
  for (const bool restarted : {false, true}) {
    if (restarted) bed->Restart(kRankingNow);
    for (const auto& board : Boards()) {
      if (board.source == BoardSource::kProgress) continue;
      const bool concerts = board.source == BoardSource::kSoldOutConcerts;
      const bool composite = board.id == BoardId::kComposite;
      EXPECT_EQ(Ids(bed->store(), At(board.id, kRankingNow)),
                composite ? grid.by_seconds : (concerts ? grid.by_millis : grid.schedules))
          << board.key_prefix;
    }
  }
}

}  // namespace
}  // namespace maejin
