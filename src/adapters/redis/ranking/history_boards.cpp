#include "adapters/redis/ranking/history_boards.h"

#include <algorithm>

#include "adapters/redis/ranking/retention.h"
#include "domain/ranking/sold_out_order.h"

namespace maejin::redis {
namespace {

constexpr std::chrono::seconds kCacheTime{1};
constexpr std::size_t kCachedWindows = 64;

}  // namespace

// Adds a day on both sides, because a clock change may repeat midnight. Read() then filters the rows by
// calendar day.
TimeRange HistoryBoards::RangeOf(const Window& window) const {
  if (window.kind == WindowKind::kAll) return {TimeFromMillis(INT64_MIN / 2), TimeFromMillis(INT64_MAX / 2)};
  return {zone_.StartOf(window.first_day) - std::chrono::days{1},
          EndOf(window, zone_) + std::chrono::days{1}};
}

template <class SoldOut>
Task<Outcome<std::vector<SoldOut>>> HistoryBoards::Read(BoardWindow board) {
  const SoldOut* const kind = nullptr;
  auto rows = co_await Load(RangeOf(board.window), kind);
  if (!rows.ok()) co_return rows.error();
  std::erase_if(*rows, [&](const SoldOut& row) {
    return WindowOf(board.window.kind, row.sold_out_at, zone_) != board.window;
  });
  const auto unit = BoardOf(board.board).unit;
  std::sort(rows->begin(), rows->end(),
            [unit](const SoldOut& a, const SoldOut& b) { return RanksBefore(KeyOf(a), KeyOf(b), unit); });
  co_return rows;
}

template Task<Outcome<std::vector<ScheduleSoldOut>>> HistoryBoards::Read(BoardWindow board);

template <class SoldOut>
Task<Outcome<std::shared_ptr<const std::vector<SoldOut>>>> HistoryBoards::SoldOuts(BoardWindow board) {
  const SoldOut* const kind = nullptr;
  std::uint64_t version = 0;
  {
    const std::lock_guard lock(mutex_);
    version = version_;
    const auto found = CacheOf(kind).find(board);
    if (found != CacheOf(kind).end() && std::chrono::steady_clock::now() < found->second.read_at + kCacheTime)
      co_return found->second.rows;
  }
  auto rows = co_await Read<SoldOut>(board);
  if (!rows.ok()) co_return rows.error();
  auto shared = std::make_shared<const std::vector<SoldOut>>(std::move(*rows));
  const std::lock_guard lock(mutex_);
  auto& cache = CacheOf(kind);
  if (cache.size() >= kCachedWindows) cache.clear();
  if (version == version_) cache[board] = {std::chrono::steady_clock::now(), shared};
  co_return shared;
}

template Task<Outcome<std::shared_ptr<const std::vector<ConcertSoldOut>>>> HistoryBoards::SoldOuts(
    BoardWindow board);
template Task<Outcome<std::shared_ptr<const std::vector<ScheduleSoldOut>>>> HistoryBoards::SoldOuts(
    BoardWindow board);

Task<Outcome<std::vector<RankedProgress>>> HistoryBoards::Progress(BoardWindow board) {
  auto reserved = co_await history_.Reserved();
  if (!reserved.ok()) co_return reserved.error();
  const bool by_date = BoardOf(board.board).member == BoardMember::kConcertDate;
  ProgressBoard counts;
  std::map<std::int64_t, Date> dates;
  for (const auto& seats : reserved->seats) {
    if (WindowOf(board.window.kind, seats.held_at, zone_) != board.window) continue;
    const auto member = by_date ? DayNumber(seats.concert_date) : seats.schedule;
    dates[member] = seats.concert_date;
    counts.Change(member, seats.seats);
  }
  std::vector<RankedProgress> rows;
  for (const auto& entry : counts.entries()) {
    rows.push_back({.rank = static_cast<std::int64_t>(rows.size()) + 1,
                    .concert_date = dates[entry.member],
                    .schedule = by_date ? 0 : entry.member,
                    .reserved = entry.reserved});
  }
  co_return rows;
}

void HistoryBoards::Invalidate() {
  const std::lock_guard lock(mutex_);
  ++version_;
  concerts_.clear();
  schedules_.clear();
}

}  // namespace maejin::redis
