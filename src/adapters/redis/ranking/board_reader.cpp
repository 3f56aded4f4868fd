#include "adapters/redis/ranking/board_reader.h"

#include <algorithm>

#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

std::int64_t Visible(BoardId board, std::size_t size) {
  const auto cap = BoardOf(board).cap;
  return static_cast<std::int64_t>(cap == 0 ? size : std::min(size, cap));
}

// Rows [first, first + count) of a whole board that was read from the database.
template <class SoldOut>
PageOf<SoldOut> Slice(const std::vector<SoldOut>& rows, BoardId board, std::int64_t first,
                      std::int64_t count) {
  PageOf<SoldOut> page{{}, Visible(board, rows.size())};
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

template <class SoldOut>
Outcome<PageOf<SoldOut>> MakePage(Outcome<BoardRows> rows) {
  if (!rows.ok()) return rows.error();
  PageOf<SoldOut> page{{}, rows->visible};
  for (std::size_t i = 0; i < rows->details.size(); ++i) {
    // The row may have been removed between the order and its detail.
    if (const auto row = Unpack<SoldOut>(rows->details[i]))
      page.entries.push_back(Describe(*row, rows->first + static_cast<std::int64_t>(i)));
  }
  return page;
}

Outcome<RankingPage<RankedProgress>> MakeProgressPage(const BoardWindow& board, Outcome<BoardRows> rows) {
  if (!rows.ok()) return rows.error();
  RankingPage<RankedProgress> page{{}, rows->visible};
  const bool by_date = BoardOf(board.board).member == BoardMember::kConcertDate;
  for (std::size_t i = 0; i < rows->orders.size(); ++i) {
    const auto row = ParseProgressOrder(rows->orders[i]);
    if (!row) continue;
    const auto date = ParseDate(by_date ? row->member : rows->details[i]);
    page.entries.push_back({.rank = rows->first + static_cast<std::int64_t>(i) + 1,
                            .concert_date = date.value_or(Date{}),
                            .schedule = by_date ? 0 : std::strtoll(row->member.c_str(), nullptr, 10),
                            .reserved = row->reserved});
  }
  return page;
}

}  // namespace

Task<std::optional<Outcome<BoardRows>>> BoardReader::ReadBoard(BoardWindow board, ReadWords words) {
  if (!context_.retention.IsKept(board)) co_return std::nullopt;
  const auto source = BoardOf(board.board).source;
  const bool progress = source == BoardSource::kProgress;
  const auto& keys = context_.keys;
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Exact(board));
  arguments.Key(progress ? keys.Dates() : keys.Details(source)).Key(keys.Board(board));
  const bool detailed = BoardOf(board.board).member != BoardMember::kConcertDate;
  arguments.Arg(BoardOf(board.board).cap).Arg(detailed ? 1 : 0);
  for (const auto& word : words) arguments.Arg(word);
  arguments.AppendRunId();
  auto reply = co_await context_.client.Eval(RankingScripts::Get().read, std::move(arguments));
  if (!reply) {
    if (reply.error().kind == RedisError::Kind::kRefused) LogError("redis: rankings: {}", reply.error().text);
    co_return std::nullopt;
  }
  co_return DecodeRead(std::move(*reply));
}

template <class SoldOut>
Task<std::optional<Outcome<std::optional<SoldOut>>>> BoardReader::FindInRedis(std::int64_t id) {
  using Found = Outcome<std::optional<SoldOut>>;
  const BoardWindow any{kSourceOf<SoldOut> == BoardSource::kSoldOutConcerts ? BoardId::kConcertsAll
                                                                            : BoardId::kSchedulesMonthly,
                        {}};
  ReadWords words = {"detail", std::to_string(id)};
  auto found = co_await ReadBoard(any, std::move(words));
  if (!found || !found->ok()) co_return std::nullopt;
  const auto& details = (*found)->details;
  co_return Found(details.empty() ? std::nullopt : Unpack<SoldOut>(details[0]));
}

template <class SoldOut>
Task<Outcome<std::optional<SoldOut>>> BoardReader::Find(std::int64_t id) {
  auto found = co_await FindInRedis<SoldOut>(id);
  if (found) co_return std::move(*found);
  auto rows = co_await RowsAfter<SoldOut>(context_.history, id - 1, 1);
  if (!rows.ok()) co_return rows.error();
  if (rows->empty() || IdOf(rows->front()) != id) co_return std::optional<SoldOut>{};
  co_return std::optional<SoldOut>(std::move(rows->front()));
}

template Task<Outcome<std::optional<ConcertSoldOut>>> BoardReader::Find(std::int64_t id);
template Task<Outcome<std::optional<ScheduleSoldOut>>> BoardReader::Find(std::int64_t id);

template <class SoldOut>
Task<Outcome<PageOf<SoldOut>>> BoardReader::ReadPage(PageQuery query) {
  const auto first = std::max<std::int64_t>(query.first, 1) - 1;
  const auto count = std::max<std::int64_t>(query.count, 0);
  ReadWords words = {"page", std::to_string(first), std::to_string(count)};
  auto rows_in_redis = co_await ReadBoard(query.board, std::move(words));
  if (rows_in_redis) co_return MakePage<SoldOut>(std::move(*rows_in_redis));
  auto rows = co_await context_.from_database.SoldOuts<SoldOut>(query.board);
  if (!rows.ok()) co_return rows.error();
  co_return Slice<SoldOut>(**rows, query.board.board, first, count);
}

template <class SoldOut>
Task<Outcome<PageOf<SoldOut>>> BoardReader::ReadRank(RankQuery query) {
  const auto around = std::max<std::int64_t>(query.around, 0);
  auto row = co_await FindInRedis<SoldOut>(query.id);
  if (row && row->ok() && context_.retention.IsKept(query.board)) {
    if (!**row) co_return Refusal::kNotRanked;
    ReadWords words = {"around", ExactOrder(BoardOf(query.board.board), KeyOf(***row)),
                       std::to_string(around)};
    auto rows_in_redis = co_await ReadBoard(query.board, std::move(words));
    if (rows_in_redis) co_return MakePage<SoldOut>(std::move(*rows_in_redis));
  }
  auto rows = co_await context_.from_database.SoldOuts<SoldOut>(query.board);
  if (!rows.ok()) co_return rows.error();
  const auto index = IndexOf(**rows, query.board.board, query.id);
  if (!index) co_return Refusal::kNotRanked;
  const auto first = std::max<std::int64_t>(*index - around, 0);
  co_return Slice<SoldOut>(**rows, query.board.board, first, *index + around + 1 - first);
}

template Task<Outcome<PageOf<ConcertSoldOut>>> BoardReader::ReadPage<ConcertSoldOut>(PageQuery query);
template Task<Outcome<PageOf<ScheduleSoldOut>>> BoardReader::ReadPage<ScheduleSoldOut>(PageQuery query);
template Task<Outcome<PageOf<ConcertSoldOut>>> BoardReader::ReadRank<ConcertSoldOut>(RankQuery query);
template Task<Outcome<PageOf<ScheduleSoldOut>>> BoardReader::ReadRank<ScheduleSoldOut>(RankQuery query);

Task<Outcome<std::optional<ConcertRanks>>> BoardReader::RanksOf(ConcertId concert) {
  const auto row = co_await Find<ConcertSoldOut>(concert);
  if (!row.ok()) co_return row.error();
  if (!*row) co_return std::optional<ConcertRanks>{};
  ConcertRanks ranks;
  const std::pair<WindowKind, std::int64_t*> wanted[] = {{WindowKind::kDaily, &ranks.daily},
                                                         {WindowKind::kWeekly, &ranks.weekly},
                                                         {WindowKind::kMonthly, &ranks.monthly},
                                                         {WindowKind::kAll, &ranks.all}};
  ScriptArguments arguments;
  arguments.Key(context_.keys.State());
  std::vector<std::pair<BoardWindow, std::int64_t*>> asked;
  for (const auto& [kind, rank] : wanted) {
    const BoardWindow board{ConcertBoard(kind),
                            WindowOf(kind, (*row)->sold_out_at, context_.retention.zone())};
    asked.push_back({board, rank});
    if (context_.retention.IsKept(board)) arguments.Key(context_.keys.Exact(board));
  }
  for (const auto& [board, rank] : asked) {
    if (context_.retention.IsKept(board)) arguments.Arg(ExactOrder(BoardOf(board.board), KeyOf(**row)));
  }
  arguments.AppendRunId();
  auto reply = co_await context_.client.Eval(RankingScripts::Get().ranks, std::move(arguments));
  const auto in_redis = reply ? DecodeRanks(*reply) : std::vector<std::int64_t>{};
  std::size_t next = 0;
  for (const auto& [board, rank] : asked) {
    if (context_.retention.IsKept(board) && next < in_redis.size()) *rank = in_redis[next++];
    if (*rank != 0) continue;
    const RankQuery query{board, concert, 0};
    const auto found = co_await ReadRank<ConcertSoldOut>(query);
    if (!found.ok() && found.error() != Refusal::kNotRanked) co_return found.error();
    if (found.ok()) *rank = found->entries[0].rank;
  }
  co_return std::optional{ranks};
}

Task<Outcome<RankingPage<RankedProgress>>> BoardReader::Progress(PageQuery query) {
  const auto first = std::max<std::int64_t>(query.first, 1) - 1;
  const auto count = std::max<std::int64_t>(query.count, 0);
  ReadWords words = {"page", std::to_string(first), std::to_string(count)};
  auto rows_in_redis = co_await ReadBoard(query.board, std::move(words));
  if (rows_in_redis) co_return MakeProgressPage(query.board, std::move(*rows_in_redis));
  auto rows = co_await context_.from_database.Progress(query.board);
  if (!rows.ok()) co_return rows.error();
  RankingPage<RankedProgress> page{{}, static_cast<std::int64_t>(rows->size())};
  for (auto i = first; i < std::min(first + count, page.total); ++i)
    page.entries.push_back((*rows)[static_cast<std::size_t>(i)]);
  co_return page;
}

Task<Outcome<RankedProgress>> BoardReader::ProgressOfMember(BoardWindow board, std::string member) {
  ReadWords words = {"member", member, ProgressSort(BoardOf(board.board), member), "0"};
  auto rows_in_redis = co_await ReadBoard(board, std::move(words));
  if (rows_in_redis) {
    const auto page = MakeProgressPage(board, std::move(*rows_in_redis));
    if (!page.ok()) co_return page.error();
    if (page->entries.empty()) co_return Refusal::kNotRanked;
    co_return page->entries[0];
  }
  auto rows = co_await context_.from_database.Progress(board);
  if (!rows.ok()) co_return rows.error();
  const bool by_date = BoardOf(board.board).member == BoardMember::kConcertDate;
  for (const auto& row : *rows) {
    if (member == (by_date ? FormatDate(row.concert_date) : std::to_string(row.schedule))) co_return row;
  }
  co_return Refusal::kNotRanked;
}

}  // namespace maejin::redis
