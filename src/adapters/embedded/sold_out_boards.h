// The boards over one table of sold-outs: selects the windows that are kept in memory, and adds new rows to
// them. A window is kept until its retention is over or it is pruned. After that its board is built from the
// table at the first read. The boards that were read last are cached. Not thread-safe: the store's lock
// guards it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "adapters/embedded/ranked_rows.h"
#include "adapters/embedded/sold_out_table.h"
#include "domain/ranking/board.h"

namespace maejin::embedded {

// The sell-out type of a table's rows.
template <class Table>
struct SoldOutIn;
template <>
struct SoldOutIn<ConcertTable> {
  using Type = ConcertSoldOut;
};
template <>
struct SoldOutIn<ScheduleTable> {
  using Type = ScheduleSoldOut;
};
template <class Table>
using SoldOutOf = typename SoldOutIn<Table>::Type;

template <class Table>
class SoldOutBoards {
 public:
  // `now`: windows whose retention is over by then are not kept.
  SoldOutBoards(BoardSource source, TimeZone zone, Time now, Date pruned_before)
      : source_(source), zone_(zone), now_(now), pruned_before_(pruned_before) {}

  const Table& table() const { return table_; }

  // Adds one sold-out to the table and to all its boards. Absent: the table has the id already, and nothing
  // changes.
  std::optional<Row> Add(const SoldOutOf<Table>& sold_out);
  // Adds many sold-outs at once. Returns the number of new ones.
  std::size_t AddAll(std::span<const SoldOutOf<Table>> sold_outs);
  // Adds a sold-out to the table only. Call BuildAll() after the last one.
  void Load(const SoldOutOf<Table>& sold_out) { table_.Add(sold_out); }
  void BuildAll();

  // The board, or nullptr where it must be loaded first.
  const RankedRows* Find(const BoardWindow& board) const;
  bool IsKept(const BoardWindow& board) const;
  // Build the board of a window that is no longer kept. CollectHistory() scans the rows [first, end) of the
  // table and appends the rows of the window. InstallHistory() then caches the board.
  void CollectHistory(const BoardWindow& board, Row first, Row end, std::vector<Row>& rows) const;
  void InstallHistory(const BoardWindow& board, std::vector<Row> rows);

  // Tick() and Prune() return the numbers of dropped boards and rows.
  struct Dropped {
    std::int64_t boards = 0;
    std::int64_t rows = 0;
  };
  Dropped Tick(Time now);
  Dropped Prune(Date before);

  // True: the row is on all its boards that are kept and have no cap.
  bool IsRanked(Row row) const;
  // The memory of the table and all boards, in bytes.
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kHistoryWindows = 64;
  struct History {
    RankedRows rows;
    mutable std::atomic<std::uint64_t> used{0};
    explicit History(RankedRows loaded) : rows(std::move(loaded)) {}
  };

  template <class Visit>
  void ForEachBoardOf(Row row, Visit visit) const;
  // The board to write to, or nullptr where it is not in memory.
  RankedRows* InMemory(const BoardWindow& board);
  void Offer(const Board& board, RankedRows& rows, Row row) const;
  bool SameScore(const Board& board, Row a, Row b) const;
  Dropped DropUnkept();

  BoardSource source_;
  TimeZone zone_;
  Time now_;
  Date pruned_before_;
  Table table_;
  std::map<BoardWindow, RankedRows> kept_;
  std::map<BoardWindow, History> history_;
  mutable std::atomic<std::uint64_t> uses_{0};
};

template <class Table>
bool SoldOutBoards<Table>::IsKept(const BoardWindow& board) const {
  if (board.window.kind == WindowKind::kAll) return true;
  if (DayAfter(board.window) <= pruned_before_) return false;
  const auto expiry = ExpiryOf(BoardOf(board.board), board.window, zone_);
  return !expiry || *expiry > now_;
}

template <class Table>
template <class Visit>
void SoldOutBoards<Table>::ForEachBoardOf(Row row, Visit visit) const {
  const auto day = zone_.LocalDay(table_.sold_out_at(row));
  for (const auto& board : Boards()) {
    if (board.source == source_) visit(board, BoardWindow{board.id, WindowOf(board.window, day)});
  }
}

template <class Table>
RankedRows* SoldOutBoards<Table>::InMemory(const BoardWindow& board) {
  if (const auto kept = kept_.find(board); kept != kept_.end()) return &kept->second;
  if (IsKept(board)) return &kept_.emplace(board, RankedRows(BoardOf(board.board).unit)).first->second;
  const auto old = history_.find(board);
  return old == history_.end() ? nullptr : &old->second.rows;
}

template <class Table>
std::optional<Row> SoldOutBoards<Table>::Add(const SoldOutOf<Table>& sold_out) {
  const auto row = table_.Add(sold_out);
  if (!row) return {};
  ForEachBoardOf(*row, [&](const Board& board, const BoardWindow& window) {
    if (auto* rows = InMemory(window)) Offer(board, *rows, *row);
  });
  return row;
}

template <class Table>
std::size_t SoldOutBoards<Table>::AddAll(std::span<const SoldOutOf<Table>> sold_outs) {
  std::map<BoardWindow, std::vector<Row>> rows_of;
  std::size_t added = 0;
  for (const auto& sold_out : sold_outs) {
    const auto row = table_.Add(sold_out);
    if (!row) continue;
    ++added;
    ForEachBoardOf(*row, [&](const Board&, const BoardWindow& window) { rows_of[window].push_back(*row); });
  }
  for (const auto& [window, rows] : rows_of) {
    auto* ranked = InMemory(window);
    if (!ranked) continue;
    const auto& board = BoardOf(window.board);
    if (board.cap == 0) {
      ranked->InsertAll(table_, rows);
    } else {
      for (const Row row : rows) Offer(board, *ranked, row);
    }
  }
  return added;
}

template <class Table>
void SoldOutBoards<Table>::Offer(const Board& board, RankedRows& rows, Row row) const {
  if (board.cap != 0 && rows.size() >= board.cap) {
    const Row last = rows.At(rows.size() - 1);
    if (RanksBefore(table_.key(last), table_.key(row), board.unit) && !SameScore(board, last, row)) return;
  }
  rows.Insert(table_, row);
  if (board.cap == 0 || rows.size() <= board.cap) return;
  const Row boundary = rows.At(board.cap - 1);
  auto end = board.cap;
  while (end < rows.size() && SameScore(board, boundary, rows.At(end))) ++end;
  rows.Truncate(end);
}

template <class Table>
bool SoldOutBoards<Table>::SameScore(const Board& board, Row a, Row b) const {
  if (board.score == BoardScore::kComposite) return SameCompositeScore(table_.key(a), table_.key(b));
  return InUnit(table_.key(a).duration, board.unit) == InUnit(table_.key(b).duration, board.unit);
}

template <class Table>
void SoldOutBoards<Table>::BuildAll() {
  std::map<BoardWindow, std::vector<Row>> rows_of;
  std::map<BoardWindow, bool> is_kept;
  for (Row row = 0; row < table_.size(); ++row) {
    ForEachBoardOf(row, [&](const Board& board, const BoardWindow& window) {
      if (board.cap != 0) return Offer(board, kept_.try_emplace(window, board.unit).first->second, row);
      const auto [known, is_new] = is_kept.try_emplace(window, false);
      if (is_new) known->second = IsKept(window);
      if (known->second) rows_of[window].push_back(row);
    });
  }
  for (auto& [window, rows] : rows_of) {
    kept_.try_emplace(window, BoardOf(window.board).unit).first->second.Build(table_, std::move(rows));
  }
}

template <class Table>
const RankedRows* SoldOutBoards<Table>::Find(const BoardWindow& board) const {
  static const RankedRows kEmpty(DurationUnit::kMillis);
  if (const auto kept = kept_.find(board); kept != kept_.end()) return &kept->second;
  if (IsKept(board)) return &kEmpty;
  const auto old = history_.find(board);
  if (old == history_.end()) return nullptr;
  old->second.used = ++uses_;
  return &old->second.rows;
}

template <class Table>
void SoldOutBoards<Table>::CollectHistory(const BoardWindow& board, Row first, Row end,
                                          std::vector<Row>& rows) const {
  // The range has one more day on both sides, because a clock change may repeat midnight. WindowOf() then
  // decides by the calendar.
  const auto from = zone_.StartOf(board.window.first_day) - std::chrono::days{1};
  const auto until = EndOf(board.window, zone_) + std::chrono::days{1};
  for (Row row = first; row < end; ++row) {
    const auto sold_out_at = table_.sold_out_at(row);
    if (sold_out_at < from || sold_out_at >= until) continue;
    if (WindowOf(board.window.kind, sold_out_at, zone_) == board.window) rows.push_back(row);
  }
}

template <class Table>
void SoldOutBoards<Table>::InstallHistory(const BoardWindow& board, std::vector<Row> rows) {
  RankedRows ranked(BoardOf(board.board).unit);
  ranked.Build(table_, std::move(rows));
  if (history_.size() >= kHistoryWindows) {
    auto oldest = history_.begin();
    for (auto it = history_.begin(); it != history_.end(); ++it) {
      if (it->second.used < oldest->second.used) oldest = it;
    }
    history_.erase(oldest);
  }
  const auto [entry, is_new] = history_.try_emplace(board, std::move(ranked));
  entry->second.used = ++uses_;
}

template <class Table>
typename SoldOutBoards<Table>::Dropped SoldOutBoards<Table>::DropUnkept() {
  Dropped dropped;
  for (auto it = kept_.begin(); it != kept_.end();) {
    if (IsKept(it->first)) {
      ++it;
      continue;
    }
    dropped.boards += 1;
    dropped.rows += static_cast<std::int64_t>(it->second.size());
    it = kept_.erase(it);
  }
  return dropped;
}

template <class Table>
typename SoldOutBoards<Table>::Dropped SoldOutBoards<Table>::Tick(Time now) {
  now_ = std::max(now_, now);
  return DropUnkept();
}

template <class Table>
typename SoldOutBoards<Table>::Dropped SoldOutBoards<Table>::Prune(Date before) {
  pruned_before_ = std::max(pruned_before_, before);
  return DropUnkept();
}

template <class Table>
bool SoldOutBoards<Table>::IsRanked(Row row) const {
  bool ranked = true;
  ForEachBoardOf(row, [&](const Board& board, const BoardWindow& window) {
    if (board.cap != 0 || !IsKept(window)) return;
    const auto* rows = Find(window);
    if (rows->RankOf(table_, row) == rows->size()) ranked = false;
  });
  return ranked;
}

template <class Table>
std::size_t SoldOutBoards<Table>::bytes() const {
  auto sum = table_.bytes();
  for (const auto& [window, rows] : kept_) sum += rows.bytes();
  for (const auto& [window, old] : history_) sum += old.rows.bytes();
  return sum;
}

}  // namespace maejin::embedded
