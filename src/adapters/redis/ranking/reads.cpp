// The reading half of the rankings in Redis: from the boards, or from the database where they do not know.
#include <algorithm>

#include "adapters/redis/ranking/ranking_store.h"
#include "adapters/redis/ranking/rows.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

constexpr std::int64_t kIncomplete = -1;
constexpr std::int64_t kNotThere = -2;

std::int64_t Visible(BoardId board, std::size_t size) {
  const auto cap = BoardOf(board).cap;
  return static_cast<std::int64_t>(cap == 0 ? size : std::min(size, cap));
}

// Rows [first, first + count) of a whole board that was read from the database.
template <class Entry, class Row>
RankingPage<Entry> Slice(const std::vector<Row>& rows, BoardId board, std::int64_t first,
                         std::int64_t count) {
  RankingPage<Entry> page{{}, Visible(board, rows.size())};
  first = std::clamp<std::int64_t>(first, 0, page.total);
  const auto end = std::min(first + std::max<std::int64_t>(count, 0), page.total);
  for (auto i = first; i < end; ++i) page.entries.push_back(Describe(rows[static_cast<std::size_t>(i)], i));
  return page;
}

template <class SoldOut>
std::optional<std::int64_t> IndexOf(const std::vector<SoldOut>& rows, BoardId board, std::int64_t id) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return IdOf(row) == id; });
  const auto index = found - rows.begin();
  if (index >= Visible(board, rows.size())) return {};
  return index;
}

}  // namespace

Task<std::optional<Outcome<RankingStore::Piece>>> RankingStore::ReadBoard(BoardWindow board,
                                                                          ReadWords words) {
  if (!IsKept(board)) co_return std::nullopt;
  const auto source = BoardOf(board.board).source;
  const bool progress = source == BoardSource::kProgress;
  ScriptArguments arguments;
  arguments.Key(keys_.State()).Key(keys_.Exact(board));
  arguments.Key(progress ? keys_.Dates() : keys_.Details(source)).Key(keys_.Board(board));
  const bool detailed = BoardOf(board.board).member != BoardMember::kConcertDate;
  arguments.Arg(BoardOf(board.board).cap).Arg(detailed ? 1 : 0);
  for (const auto& word : words) arguments.Arg(word);
  arguments.TellServer();
  auto reply = co_await client_.Eval(RankingScripts::Get().read, std::move(arguments));
  if (!reply) {
    if (reply.error().kind == RedisError::Kind::kRefused) LogError("redis: rankings: {}", reply.error().text);
    co_return std::nullopt;
  }
  const auto visible = reply->At(0).AsInteger();
  if (visible == kIncomplete) co_return std::nullopt;
  if (visible == kNotThere) co_return Outcome<Piece>(Refusal::kNotRanked);
  Piece piece{visible, reply->At(1).AsInteger(), reply->At(2).elements, reply->At(3).elements};
  co_return Outcome<Piece>(std::move(piece));
}

template <class SoldOut>
Task<std::optional<Outcome<std::optional<SoldOut>>>> RankingStore::FindInRedis(std::int64_t id) {
  using Found = Outcome<std::optional<SoldOut>>;
  const BoardWindow any{kSourceOf<SoldOut> == BoardSource::kSoldOutConcerts ? BoardId::kConcertsAll
                                                                            : BoardId::kSchedulesMonthly,
                        {}};
  ReadWords words = {"detail", std::to_string(id)};
  auto piece = co_await ReadBoard(any, std::move(words));
  if (!piece || !piece->ok()) co_return std::nullopt;
  const auto& details = (*piece)->details;
  co_return Found(details.empty() ? std::nullopt : Unpack<SoldOut>(details[0].text));
}

template <class SoldOut>
Task<Outcome<std::optional<SoldOut>>> RankingStore::Find(std::int64_t id) {
  auto found = co_await FindInRedis<SoldOut>(id);
  if (found) co_return std::move(*found);
  auto rows = co_await RowsAfter<SoldOut>(id - 1, 1);
  if (!rows.ok()) co_return rows.error();
  if (rows->empty() || IdOf(rows->front()) != id) co_return std::optional<SoldOut>{};
  co_return std::optional<SoldOut>(std::move(rows->front()));
}

template Task<Outcome<std::optional<ConcertSoldOut>>> RankingStore::Find(std::int64_t id);
template Task<Outcome<std::optional<ScheduleSoldOut>>> RankingStore::Find(std::int64_t id);

template <>
Task<Outcome<std::vector<ConcertSoldOut>>> RankingStore::RowsAfter(std::int64_t after, std::size_t count) {
  return history_.ConcertsAfter(after, count);
}
template <>
Task<Outcome<std::vector<ScheduleSoldOut>>> RankingStore::RowsAfter(std::int64_t after, std::size_t count) {
  return history_.SchedulesAfter(after, count);
}

template <class SoldOut, class Entry>
Outcome<RankingPage<Entry>> RankingStore::PageOf(Outcome<Piece> piece) {
  if (!piece.ok()) return piece.error();
  RankingPage<Entry> page{{}, piece->visible};
  for (std::size_t i = 0; i < piece->details.size(); ++i) {
    // A row that vanished meanwhile is left out.
    if (const auto row = Unpack<SoldOut>(piece->details[i].text))
      page.entries.push_back(Describe(*row, piece->first + static_cast<std::int64_t>(i)));
  }
  return page;
}

template <class SoldOut, class Entry>
Task<Outcome<RankingPage<Entry>>> RankingStore::ReadPage(PageQuery query) {
  const auto first = std::max<std::int64_t>(query.first, 1) - 1;
  const auto count = std::max<std::int64_t>(query.count, 0);
  ReadWords words = {"page", std::to_string(first), std::to_string(count)};
  auto piece = co_await ReadBoard(query.board, std::move(words));
  if (piece) co_return PageOf<SoldOut, Entry>(std::move(*piece));
  auto rows = co_await from_database_.SoldOuts<SoldOut>(query.board);
  if (!rows.ok()) co_return rows.error();
  co_return Slice<Entry>(**rows, query.board.board, first, count);
}

template <class SoldOut, class Entry>
Task<Outcome<RankingPage<Entry>>> RankingStore::ReadRank(RankQuery query) {
  const auto around = std::max<std::int64_t>(query.around, 0);
  auto row = co_await FindInRedis<SoldOut>(query.id);
  if (row && row->ok() && IsKept(query.board)) {
    if (!**row) co_return Refusal::kNotRanked;
    ReadWords words = {"around", ExactOrder(BoardOf(query.board.board), KeyOf(***row)),
                       std::to_string(around)};
    auto piece = co_await ReadBoard(query.board, std::move(words));
    if (piece) co_return PageOf<SoldOut, Entry>(std::move(*piece));
  }
  auto rows = co_await from_database_.SoldOuts<SoldOut>(query.board);
  if (!rows.ok()) co_return rows.error();
  const auto index = IndexOf(**rows, query.board.board, query.id);
  if (!index) co_return Refusal::kNotRanked;
  const auto first = std::max<std::int64_t>(*index - around, 0);
  co_return Slice<Entry>(**rows, query.board.board, first, *index + around + 1 - first);
}

Task<Outcome<RankingPage<RankedConcert>>> RankingStore::Concerts(PageQuery query) {
  return ReadPage<ConcertSoldOut, RankedConcert>(query);
}
Task<Outcome<RankingPage<RankedSchedule>>> RankingStore::Schedules(PageQuery query) {
  return ReadPage<ScheduleSoldOut, RankedSchedule>(query);
}
Task<Outcome<RankingPage<RankedConcert>>> RankingStore::ConcertRank(RankQuery query) {
  return ReadRank<ConcertSoldOut, RankedConcert>(query);
}
Task<Outcome<RankingPage<RankedSchedule>>> RankingStore::ScheduleRank(RankQuery query) {
  return ReadRank<ScheduleSoldOut, RankedSchedule>(query);
}

// The ranks on all kept boards with one question, the others one by one.
Task<Outcome<std::optional<ConcertRanks>>> RankingStore::RanksOf(ConcertId concert) {
  const auto row = co_await Find<ConcertSoldOut>(concert);
  if (!row.ok()) co_return row.error();
  if (!*row) co_return std::optional<ConcertRanks>{};
  ConcertRanks ranks;
  const std::pair<WindowKind, std::int64_t*> wanted[] = {{WindowKind::kDaily, &ranks.daily},
                                                         {WindowKind::kWeekly, &ranks.weekly},
                                                         {WindowKind::kMonthly, &ranks.monthly},
                                                         {WindowKind::kAll, &ranks.all}};
  ScriptArguments arguments;
  arguments.Key(keys_.State());
  std::vector<std::pair<BoardWindow, std::int64_t*>> asked;
  for (const auto& [kind, rank] : wanted) {
    const BoardWindow board{ConcertBoard(kind), WindowOf(kind, (*row)->sold_out_at, options_.zone)};
    asked.push_back({board, rank});
    if (IsKept(board)) arguments.Key(keys_.Exact(board));
  }
  for (const auto& [board, rank] : asked) {
    if (IsKept(board)) arguments.Arg(ExactOrder(BoardOf(board.board), KeyOf(**row)));
  }
  arguments.TellServer();
  auto reply = co_await client_.Eval(RankingScripts::Get().ranks, std::move(arguments));
  std::size_t next = 0;
  for (const auto& [board, rank] : asked) {
    if (IsKept(board) && reply && next < reply->elements.size()) *rank = reply->At(next++).AsInteger() + 1;
    if (*rank != 0) continue;
    const RankQuery query{board, concert, 0};
    const auto found = co_await ReadRank<ConcertSoldOut, RankedConcert>(query);
    if (!found.ok() && found.error() != Refusal::kNotRanked) co_return found.error();
    if (found.ok()) *rank = found->entries[0].rank;
  }
  co_return std::optional{ranks};
}

Task<Outcome<std::optional<Time>>> RankingStore::SoldOutAt(ConcertId concert) {
  const auto row = co_await Find<ConcertSoldOut>(concert);
  if (!row.ok()) co_return row.error();
  if (!*row) co_return std::optional<Time>{};
  co_return std::optional{(*row)->sold_out_at};
}

// Progress.

Outcome<RankingPage<RankedProgress>> RankingStore::ProgressPageOf(const BoardWindow& board,
                                                                  Outcome<Piece> piece) {
  if (!piece.ok()) return piece.error();
  RankingPage<RankedProgress> page{{}, piece->visible};
  const bool by_date = BoardOf(board.board).member == BoardMember::kConcertDate;
  for (std::size_t i = 0; i < piece->orders.size(); ++i) {
    const auto row = ParseProgressOrder(piece->orders[i].text);
    if (!row) continue;
    const auto date = ParseDate(by_date ? row->member : piece->details[i].text);
    page.entries.push_back({.rank = piece->first + static_cast<std::int64_t>(i) + 1,
                            .concert_date = date.value_or(Date{}),
                            .schedule = by_date ? 0 : std::strtoll(row->member.c_str(), nullptr, 10),
                            .reserved = row->reserved});
  }
  return page;
}

Task<Outcome<RankingPage<RankedProgress>>> RankingStore::Progress(PageQuery query) {
  const auto first = std::max<std::int64_t>(query.first, 1) - 1;
  const auto count = std::max<std::int64_t>(query.count, 0);
  ReadWords words = {"page", std::to_string(first), std::to_string(count)};
  auto piece = co_await ReadBoard(query.board, std::move(words));
  if (piece) co_return ProgressPageOf(query.board, std::move(*piece));
  auto rows = co_await from_database_.Progress(query.board);
  if (!rows.ok()) co_return rows.error();
  RankingPage<RankedProgress> page{{}, static_cast<std::int64_t>(rows->size())};
  for (auto i = first; i < std::min(first + count, page.total); ++i)
    page.entries.push_back((*rows)[static_cast<std::size_t>(i)]);
  co_return page;
}

Task<Outcome<RankedProgress>> RankingStore::ProgressOfMember(BoardWindow board, std::string member) {
  ReadWords words = {"member", member, ProgressSort(BoardOf(board.board), member), "0"};
  auto piece = co_await ReadBoard(board, std::move(words));
  if (piece) {
    const auto page = ProgressPageOf(board, std::move(*piece));
    if (!page.ok()) co_return page.error();
    if (page->entries.empty()) co_return Refusal::kNotRanked;
    co_return page->entries[0];
  }
  auto rows = co_await from_database_.Progress(board);
  if (!rows.ok()) co_return rows.error();
  const bool by_date = BoardOf(board.board).member == BoardMember::kConcertDate;
  for (const auto& row : *rows) {
    if (member == (by_date ? FormatDate(row.concert_date) : std::to_string(row.schedule))) co_return row;
  }
  co_return Refusal::kNotRanked;
}

Task<Outcome<RankedProgress>> RankingStore::ProgressOf(BoardWindow board, Date concert_date) {
  return ProgressOfMember(board, FormatDate(concert_date));
}

Task<Outcome<RankedProgress>> RankingStore::ProgressOfSchedule(ScheduleId schedule) {
  return ProgressOfMember({BoardId::kProgressSchedules, {}}, std::to_string(schedule));
}

}  // namespace maejin::redis
