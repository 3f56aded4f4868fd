// The reading half of the embedded ranking store: pages, ranks, neighbours, and windows whose boards are no
// longer kept.
#include <algorithm>

#include "adapters/embedded/ranking_store.h"
#include "base/log.h"

namespace maejin::embedded {
namespace {

using Slice = RowSlice;

// The maximum of rows read under one lock, so that a new sell-out waits briefly.
constexpr std::size_t kRowsPerLook = 65'536;

// The rows of a board that a query may see: no more than the board's cap, though ties may be kept behind it.
std::size_t VisibleRows(BoardId board, std::size_t size) {
  const auto cap = BoardOf(board).cap;
  return cap == 0 ? size : std::min(size, cap);
}

Slice SliceOf(const PageQuery& query, std::size_t visible) {
  const auto first = std::min(static_cast<std::size_t>(std::max<std::int64_t>(query.first, 1) - 1), visible);
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(query.count, 0));
  return {first, std::min(count, visible - first)};
}

Slice Neighbours(std::size_t index, std::int64_t around, std::size_t visible) {
  const auto reach = static_cast<std::size_t>(std::max<std::int64_t>(around, 0));
  const auto first = index > reach ? index - reach : 0;
  return {first, std::min(index + reach + 1, visible) - first};
}

}  // namespace

RankedConcert Describe(const ConcertTable& table, Row row, std::size_t index) {
  const auto key = table.key(row);
  return {.rank = static_cast<std::int64_t>(index) + 1,
          .concert = key.id,
          .title = std::string(table.title(row)),
          .artist = std::string(table.artist(row)),
          .venue = std::string(table.venue(row)),
          .dates = key.dates,
          .booking_open_at = key.started_at,
          .sold_out_at = table.sold_out_at(row)};
}

RankedSchedule Describe(const ScheduleTable& table, Row row, std::size_t index) {
  const auto key = table.key(row);
  return {.rank = static_cast<std::int64_t>(index) + 1,
          .schedule = key.id,
          .concert = table.concert(row),
          .concert_date = table.concert_date(row),
          .started_at = key.started_at,
          .sold_out_at = table.sold_out_at(row)};
}

bool RankingMemory::IsLoaded(const BoardWindow& board) const {
  const std::shared_lock lock(sold_outs_mutex_);
  return BoardOf(board.board).source == BoardSource::kSoldOutConcerts
             ? sold_outs_->concerts.Find(board) != nullptr
             : sold_outs_->schedules.Find(board) != nullptr;
}

// Runs on the reader thread, the only one that replaces sold_outs_; rows are only ever added to a table.
template <class Boards>
bool RankingMemory::LoadHistory(Boards SoldOuts::* which, const BoardWindow& board) {
  const auto version = sold_outs_version_.load(std::memory_order_acquire);
  std::vector<Row> rows;
  for (Row next = 0;;) {
    const std::shared_lock lock(sold_outs_mutex_);
    const auto& boards = (*sold_outs_).*which;
    const auto end = static_cast<Row>(std::min<std::size_t>(boards.table().size(), next + kRowsPerLook));
    boards.CollectHistory(board, next, end, rows);
    next = end;
    if (next == boards.table().size()) break;
  }
  const std::unique_lock lock(sold_outs_mutex_);
  // A sell-out was ranked during the read, perhaps in this window: the caller loads the window again.
  if (version != sold_outs_version_.load(std::memory_order_acquire)) return false;
  ((*sold_outs_).*which).InstallHistory(board, std::move(rows));
  return true;
}

bool RankingMemory::LoadHistory(const BoardWindow& board) {
  return BoardOf(board.board).source == BoardSource::kSoldOutConcerts
             ? LoadHistory(&SoldOuts::concerts, board)
             : LoadHistory(&SoldOuts::schedules, board);
}

Task<Outcome<Done>> RankingMemory::EnsureLoaded(BoardWindow board) {
  while (!IsLoaded(board)) {
    const auto load = [this, board] { return LoadHistory(board); };
    co_await OnReaderThread(load);
  }
  co_return Done{};
}

template <class Entry, class Boards>
RankingPage<Entry> RankingReads::ReadSlice(const Boards& boards, const RankedRows& board, Slice slice,
                                           std::size_t visible) {
  RankingPage<Entry> page{{}, static_cast<std::int64_t>(visible)};
  page.entries.reserve(slice.count);
  auto index = slice.first;
  board.ForEach(slice.first, slice.count,
                [&](Row row) { page.entries.push_back(Describe(boards.table(), row, index++)); });
  return page;
}

template <class Entry, class Boards>
Task<Outcome<RankingPage<Entry>>> RankingReads::ReadPage(Boards SoldOuts::* which, PageQuery query) {
  while (true) {
    {
      const std::shared_lock lock(sold_outs_mutex_);
      const auto& boards = (*sold_outs_).*which;
      if (const auto* board = boards.Find(query.board)) {
        const auto visible = VisibleRows(query.board.board, board->size());
        co_return ReadSlice<Entry>(boards, *board, SliceOf(query, visible), visible);
      }
    }
    const auto loaded = co_await EnsureLoaded(query.board);
    if (!loaded) co_return loaded.error();
  }
}

template <class Entry, class Boards>
Task<Outcome<RankingPage<Entry>>> RankingReads::ReadRank(Boards SoldOuts::* which, RankQuery query) {
  while (true) {
    {
      const std::shared_lock lock(sold_outs_mutex_);
      const auto& boards = (*sold_outs_).*which;
      if (const auto* board = boards.Find(query.board)) {
        const auto row = boards.table().Find(query.id);
        if (!row) co_return Refusal::kNotRanked;
        const auto visible = VisibleRows(query.board.board, board->size());
        const auto index = board->RankOf(boards.table(), *row);
        if (index >= visible) co_return Refusal::kNotRanked;
        co_return ReadSlice<Entry>(boards, *board, Neighbours(index, query.around, visible), visible);
      }
    }
    const auto loaded = co_await EnsureLoaded(query.board);
    if (!loaded) co_return loaded.error();
  }
}

Task<Outcome<RankingPage<RankedConcert>>> RankingReads::Concerts(PageQuery query) {
  return ReadPage<RankedConcert>(&SoldOuts::concerts, query);
}
Task<Outcome<RankingPage<RankedSchedule>>> RankingReads::Schedules(PageQuery query) {
  return ReadPage<RankedSchedule>(&SoldOuts::schedules, query);
}
Task<Outcome<RankingPage<RankedConcert>>> RankingReads::ConcertRank(RankQuery query) {
  return ReadRank<RankedConcert>(&SoldOuts::concerts, query);
}
Task<Outcome<RankingPage<RankedSchedule>>> RankingReads::ScheduleRank(RankQuery query) {
  return ReadRank<RankedSchedule>(&SoldOuts::schedules, query);
}

ConcertRanks RankingMemory::RanksInMemory(Row row) const {
  const auto& boards = sold_outs_->concerts;
  const auto rank_in = [&](WindowKind kind) -> std::int64_t {
    const auto* board = boards.Find(WindowOfConcert(kind, row));
    return board ? static_cast<std::int64_t>(board->RankOf(boards.table(), row)) + 1 : 0;
  };
  return {.daily = rank_in(WindowKind::kDaily),
          .weekly = rank_in(WindowKind::kWeekly),
          .monthly = rank_in(WindowKind::kMonthly),
          .all = rank_in(WindowKind::kAll)};
}

BoardWindow RankingMemory::WindowOfConcert(WindowKind kind, Row row) const {
  return {ConcertBoard(kind), WindowOf(kind, sold_outs_->concerts.table().sold_out_at(row), zone_)};
}

// A window past its retention is loaded first. Another reader may evict it again: then it is loaded again.
template <class Boards>
Task<Outcome<std::vector<std::int64_t>>> RankingReads::RanksOn(Boards SoldOuts::* which, std::int64_t id,
                                                               std::vector<BoardId> on) {
  while (true) {
    std::optional<BoardWindow> missing;
    {
      const std::shared_lock lock(sold_outs_mutex_);
      const auto& boards = (*sold_outs_).*which;
      const auto row = boards.table().Find(id);
      std::vector<std::int64_t> ranks;
      if (!row) co_return ranks;
      for (const auto board : on) {
        const BoardWindow window{board,
                                 WindowOf(BoardOf(board).window, boards.table().sold_out_at(*row), zone_)};
        const auto* rows = boards.Find(window);
        if (!rows) missing = window;
        if (rows) ranks.push_back(static_cast<std::int64_t>(rows->RankOf(boards.table(), *row)) + 1);
      }
      if (!missing) co_return ranks;
    }
    const auto loaded = co_await EnsureLoaded(*missing);
    if (!loaded) co_return loaded.error();
  }
}

Task<Outcome<std::vector<ConcertNames>>> RankingReads::NamesOf(std::vector<ConcertId> concerts) {
  const std::shared_lock lock(sold_outs_mutex_);
  const auto& table = sold_outs_->concerts.table();
  std::vector<ConcertNames> names(concerts.size());
  for (std::size_t i = 0; i < concerts.size(); ++i) {
    if (const auto row = table.Find(concerts[i]))
      names[i] = {std::string(table.title(*row)), std::string(table.artist(*row)),
                  std::string(table.venue(*row))};
  }
  co_return names;
}

Task<Outcome<std::optional<ConcertRanks>>> RankingReads::RanksOf(ConcertId concert) {
  std::vector<BoardId> on = {BoardId::kConcertsDaily, BoardId::kConcertsWeekly, BoardId::kConcertsMonthly,
                             BoardId::kConcertsAll};
  const auto ranks = co_await RanksOn(&SoldOuts::concerts, concert, std::move(on));
  if (!ranks) co_return ranks.error();
  if (ranks->empty()) co_return std::optional<ConcertRanks>{};
  const auto& found = *ranks;
  co_return std::optional{ConcertRanks{found[0], found[1], found[2], found[3]}};
}

Task<Outcome<std::vector<std::optional<ScheduleRanks>>>> RankingReads::RanksOfSchedules(
    std::vector<ScheduleId> schedules) {
  std::vector<std::optional<ScheduleRanks>> found;
  for (const auto schedule : schedules) {
    std::vector<BoardId> on = {BoardId::kSchedulesDaily, BoardId::kSchedulesWeekly,
                               BoardId::kSchedulesMonthly};
    const auto ranks = co_await RanksOn(&SoldOuts::schedules, schedule, std::move(on));
    if (!ranks) co_return ranks.error();
    found.emplace_back();
    if (!ranks->empty()) found.back() = ScheduleRanks{(*ranks)[0], (*ranks)[1], (*ranks)[2]};
  }
  co_return found;
}

Task<Outcome<std::optional<Time>>> RankingReads::SoldOutAt(ConcertId concert) {
  const std::shared_lock lock(sold_outs_mutex_);
  const auto row = sold_outs_->concerts.table().Find(concert);
  if (!row) co_return std::optional<Time>{};
  co_return std::optional{sold_outs_->concerts.table().sold_out_at(*row)};
}

Task<Outcome<std::optional<Time>>> RankingReads::ScheduleSoldOutAt(ScheduleId schedule) {
  const std::shared_lock lock(sold_outs_mutex_);
  const auto row = sold_outs_->schedules.table().Find(schedule);
  if (!row) co_return std::optional<Time>{};
  co_return std::optional{sold_outs_->schedules.table().sold_out_at(*row)};
}

RankedProgress RankingReads::ProgressAt(const BoardWindow& window, const ProgressBoard& board,
                                        std::size_t index) const {
  const auto& entry = board.entries()[index];
  const bool by_date = BoardOf(window.board).member == BoardMember::kConcertDate;
  return {.rank = static_cast<std::int64_t>(index) + 1,
          .concert_date = by_date ? DateOfMember(entry.member) : progress_.DateOf(entry.member),
          .schedule = by_date ? 0 : entry.member,
          .reserved = entry.reserved};
}

// Runs on the reader thread.
ProgressBoard RankingMemory::LoadOldProgress(const BoardWindow& window) {
  ProgressBoard board;
  reader_->EachReserved([&](const ProgressChanged& reserved) {
    if (WindowOf(window.window.kind, reserved.held_at, zone_) != window.window) return;
    board.Change(MemberOf(reserved.concert_date), reserved.seats);
  });
  return board;
}

Task<Outcome<Done>> RankingReads::WithProgress(BoardWindow window,
                                               std::function<void(const ProgressBoard&)> look) {
  {
    const std::shared_lock lock(progress_mutex_);
    if (const auto* board = progress_.Find(window)) {
      look(*board);
      co_return Done{};
    }
  }
  try {
    const auto load = [this, window] { return LoadOldProgress(window); };
    const auto board = co_await OnReaderThread(load);
    const std::shared_lock lock(progress_mutex_);
    look(board);
  } catch (const SqliteError& error) {
    LogError("rankings: cannot read history: {}", error.what());
    co_return Refusal::kUnavailable;
  }
  co_return Done{};
}

Task<Outcome<RankingPage<RankedProgress>>> RankingReads::Progress(PageQuery query) {
  RankingPage<RankedProgress> page;
  const auto look = [&](const ProgressBoard& board) {
    const auto visible = board.entries().size();
    const auto slice = SliceOf(query, visible);
    page.total = static_cast<std::int64_t>(visible);
    for (auto i = slice.first; i < slice.first + slice.count; ++i) {
      page.entries.push_back(ProgressAt(query.board, board, i));
    }
  };
  const auto looked = co_await WithProgress(query.board, look);
  if (!looked) co_return looked.error();
  co_return page;
}

Task<Outcome<RankedProgress>> RankingReads::ProgressOfMember(BoardWindow window, std::int64_t member) {
  std::optional<RankedProgress> found;
  const auto look = [&](const ProgressBoard& board) {
    if (const auto index = board.RankOf(member)) found = ProgressAt(window, board, *index);
  };
  const auto looked = co_await WithProgress(window, look);
  if (!looked) co_return looked.error();
  if (!found) co_return Refusal::kNotRanked;
  co_return *found;
}

Task<Outcome<RankedProgress>> RankingReads::ProgressOf(BoardWindow window, Date concert_date) {
  return ProgressOfMember(window, MemberOf(concert_date));
}

}  // namespace maejin::embedded
