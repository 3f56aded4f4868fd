#include "adapters/redis/ranking/board_reader.h"

#include <algorithm>
#include <cstdlib>

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

// The position of a row on a whole board that was read from the database, perhaps before the row was written.
template <class SoldOut>
std::int64_t IndexFor(const SoldOut& row, const std::vector<SoldOut>& rows, DurationUnit unit) {
  const auto at = std::lower_bound(rows.begin(), rows.end(), row, [&](const auto& a, const auto& b) {
    return RanksBefore(KeyOf(a), KeyOf(b), unit);
  });
  return at - rows.begin();
}

Outcome<RankingPage<RankedProgress>> MakeProgressPage(const BoardWindow& board, Outcome<ProgressRows> rows) {
  if (!rows.ok()) return rows.error();
  RankingPage<RankedProgress> page{{}, rows->visible};
  const bool by_date = BoardOf(board.board).member == BoardMember::kConcertDate;
  for (std::size_t i = 0; i < rows->orders.size(); ++i) {
    const auto row = ParseProgressOrder(rows->orders[i]);
    if (!row) continue;
    const auto date = ParseDate(by_date ? row->member : rows->dates[i]);
    page.entries.push_back({.rank = rows->first + static_cast<std::int64_t>(i) + 1,
                            .concert_date = date.value_or(Date{}),
                            .schedule = by_date ? 0 : std::strtoll(row->member.c_str(), nullptr, 10),
                            .reserved = row->reserved});
  }
  return page;
}

void LogRefusal(const RedisError& error) {
  if (error.kind == RedisError::Kind::kRefused) LogError("redis: rankings: {}", error.text);
}

}  // namespace

template <class SoldOut>
Task<Outcome<std::optional<SoldOut>>> BoardReader::Find(std::int64_t id) {
  std::vector<std::int64_t> ids = {id};
  auto rows = co_await context_.rows.Find<SoldOut>(std::move(ids));
  if (!rows.ok()) co_return rows.error();
  const auto row = rows->find(id);
  if (row == rows->end()) co_return std::optional<SoldOut>{};
  co_return std::optional<SoldOut>(std::move(row->second));
}

template Task<Outcome<std::optional<ConcertSoldOut>>> BoardReader::Find(std::int64_t id);
template Task<Outcome<std::optional<ScheduleSoldOut>>> BoardReader::Find(std::int64_t id);

// Pages.

Task<std::optional<BoardRows>> BoardReader::ReadBoard(BoardWindow board, std::int64_t first,
                                                      std::int64_t count) {
  if (!context_.retention.IsKept(board)) co_return std::nullopt;
  ScriptArguments arguments;
  arguments.Key(context_.keys.State()).Key(context_.keys.Board(board));
  arguments.Arg(BoardOf(board.board).cap).Arg(first).Arg(count);
  arguments.Arg(RankingKeys::BuiltField(board)).AppendRunId();
  auto reply = co_await context_.client.Eval(RankingScripts::Get().read, std::move(arguments));
  if (!reply) {
    LogRefusal(reply.error());
    co_return std::nullopt;
  }
  auto rows = DecodeRead(std::move(*reply));
  if (rows && !rows->built) {
    co_await builder_.Build(board);
    co_return std::nullopt;
  }
  if (rows) context_.rows.Follow(rows->corrections);
  co_return rows;
}

template <class SoldOut>
Task<Outcome<PageOf<SoldOut>>> BoardReader::Arrange(BoardWindow board, BoardRows read, std::int64_t first,
                                                    std::int64_t count) {
  const auto& described = BoardOf(board.board);
  std::vector<std::int64_t> ids;  // 0: no member of this board
  for (const auto& row : read.rows) ids.push_back(IdOfMember(described, row.member).value_or(0));
  auto known = co_await context_.rows.Find<SoldOut>(ids);
  if (!known.ok()) co_return known.error();
  // Members that the database does not have come last in the range that is sorted, and are left out below.
  const auto before = [&](std::int64_t a, std::int64_t b) {
    const auto row_a = known->find(a);
    const auto row_b = known->find(b);
    if (row_a == known->end() || row_b == known->end()) return row_a != known->end() && row_b == known->end();
    return RanksBefore(KeyOf(row_a->second), KeyOf(row_b->second), described.unit);
  };
  for (std::size_t from = 0; from < ids.size();) {
    auto to = from + 1;
    while (to < ids.size() && (described.cap > 0 || read.rows[to].score == read.rows[from].score)) ++to;
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(from);
    if (to - from > 1) std::sort(begin, ids.begin() + static_cast<std::ptrdiff_t>(to), before);
    from = to;
  }
  PageOf<SoldOut> page{{}, read.visible};
  const auto end =
      std::min({first + count, read.visible, read.first + static_cast<std::int64_t>(ids.size())});
  for (auto i = std::max(first, read.first); i < end; ++i) {
    const auto row = known->find(ids[static_cast<std::size_t>(i - read.first)]);
    if (row != known->end()) page.entries.push_back(Describe(row->second, i));
  }
  co_return page;
}

template <class SoldOut>
Task<Outcome<PageOf<SoldOut>>> BoardReader::ReadPage(PageQuery query) {
  const auto first = std::max<std::int64_t>(query.first, 1) - 1;
  const auto count = std::max<std::int64_t>(query.count, 0);
  auto in_redis = co_await ReadBoard(query.board, first, count);
  if (in_redis) {
    auto page = co_await Arrange<SoldOut>(query.board, std::move(*in_redis), first, count);
    co_return page;
  }
  auto rows = co_await context_.from_database.SoldOuts<SoldOut>(query.board);
  if (!rows.ok()) co_return rows.error();
  co_return Slice<SoldOut>(**rows, query.board.board, first, count);
}

template Task<Outcome<PageOf<ConcertSoldOut>>> BoardReader::ReadPage<ConcertSoldOut>(PageQuery query);
template Task<Outcome<PageOf<ScheduleSoldOut>>> BoardReader::ReadPage<ScheduleSoldOut>(PageQuery query);

// Ranks.

template <class SoldOut>
Task<std::vector<std::optional<BoardReader::Position>>> BoardReader::PositionsInRedis(
    const std::vector<RowOnBoard<SoldOut>>& wanted) {
  std::vector<std::optional<Position>> positions(wanted.size());
  std::vector<std::size_t> asked;
  ScriptArguments arguments;
  arguments.Key(context_.keys.State());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!context_.retention.IsKept(wanted[i].board)) continue;
    asked.push_back(i);
    arguments.Key(context_.keys.Board(wanted[i].board));
  }
  if (asked.empty()) co_return positions;
  for (const auto i : asked) {
    const auto& board = BoardOf(wanted[i].board.board);
    const auto key = KeyOf(wanted[i].row);
    arguments.Arg(MemberOf(board, key.id)).Arg(ScoreOf(board, key));
    arguments.Arg(RankingKeys::BuiltField(wanted[i].board));
  }
  arguments.AppendRunId();
  auto reply = co_await context_.client.Eval(RankingScripts::Get().ranks, std::move(arguments));
  if (!reply) LogRefusal(reply.error());
  auto found = reply ? DecodeRanks(std::move(*reply)) : std::nullopt;
  if (!found || found->positions.size() != asked.size()) co_return positions;
  context_.rows.Follow(found->corrections);
  std::vector<std::int64_t> equal;
  for (std::size_t a = 0; a < asked.size(); ++a) {
    const auto& [row, board] = wanted[asked[a]];
    for (const auto& member : found->positions[a].equal) {
      const auto id = IdOfMember(BoardOf(board.board), member);
      if (id && *id != IdOf(row)) equal.push_back(*id);
    }
  }
  auto others = co_await context_.rows.Find<SoldOut>(std::move(equal));
  if (!others.ok()) co_return positions;
  for (std::size_t a = 0; a < asked.size(); ++a) {
    const auto& [row, board] = wanted[asked[a]];
    if (!found->positions[a].built) {
      co_await builder_.Build(board);
      continue;
    }
    auto index = found->positions[a].before;
    for (const auto& member : found->positions[a].equal) {
      const auto other = others->find(IdOfMember(BoardOf(board.board), member).value_or(0));
      if (other == others->end() || other->first == IdOf(row)) continue;
      if (RanksBefore(KeyOf(other->second), KeyOf(row), BoardOf(board.board).unit)) ++index;
    }
    positions[asked[a]] = Position{index, std::max(found->positions[a].total, index + 1)};
  }
  co_return positions;
}

template <class SoldOut>
Task<Outcome<std::vector<BoardReader::Position>>> BoardReader::PositionsOf(
    std::vector<RowOnBoard<SoldOut>> wanted) {
  const auto in_redis = co_await PositionsInRedis<SoldOut>(wanted);
  std::vector<Position> positions;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (in_redis[i]) {
      positions.push_back(*in_redis[i]);
      continue;
    }
    const auto& board = wanted[i].board;
    const auto rows = co_await context_.from_database.SoldOuts<SoldOut>(board);
    if (!rows.ok()) co_return rows.error();
    const auto index = IndexFor(wanted[i].row, **rows, BoardOf(board.board).unit);
    positions.push_back({index, std::max(static_cast<std::int64_t>((*rows)->size()), index + 1)});
  }
  co_return positions;
}

// Reads a capped board as a whole: the scores alone do not determine a rank on it.
template <class SoldOut>
Task<Outcome<PageOf<SoldOut>>> BoardReader::ReadRankOnCapped(RankQuery query) {
  const PageQuery whole{query.board, 1, static_cast<std::int64_t>(BoardOf(query.board.board).cap)};
  auto page = co_await ReadPage<SoldOut>(whole);
  if (!page.ok()) co_return page.error();
  auto& entries = page->entries;
  const auto own = std::find_if(entries.begin(), entries.end(),
                                [&](const auto& entry) { return IdOf(entry) == query.id; });
  if (own == entries.end()) co_return Refusal::kNotRanked;
  const auto rank = own->rank;
  std::erase_if(entries, [&](const auto& entry) { return std::abs(entry.rank - rank) > query.around; });
  co_return page;
}

template <class SoldOut>
Task<Outcome<PageOf<SoldOut>>> BoardReader::ReadRank(RankQuery query) {
  if (BoardOf(query.board.board).cap > 0) {
    auto capped = co_await ReadRankOnCapped<SoldOut>(query);
    co_return capped;
  }
  const auto row = co_await Find<SoldOut>(query.id);
  if (!row.ok()) co_return row.error();
  if (!*row) co_return Refusal::kNotRanked;
  const auto window = WindowOf(query.board.window.kind, (*row)->sold_out_at, context_.retention.zone());
  if (window != query.board.window) co_return Refusal::kNotRanked;
  std::vector<RowOnBoard<SoldOut>> wanted = {{**row, query.board}};
  const auto positions = co_await PositionsOf<SoldOut>(std::move(wanted));
  if (!positions.ok()) co_return positions.error();
  const auto [index, total] = positions->front();
  PageOf<SoldOut> alone{{Describe(**row, index)}, total};
  const auto around = std::max<std::int64_t>(query.around, 0);
  if (around == 0) co_return alone;
  const auto first = std::max<std::int64_t>(index - around, 0);
  const PageQuery neighbours{query.board, first + 1, index + around + 1 - first};
  auto page = co_await ReadPage<SoldOut>(neighbours);
  if (!page.ok()) co_return page.error();
  // A board that does not have the row yet gives neighbours without it; then the row is returned alone.
  const auto& own = alone.entries[0];
  const bool has_row = std::any_of(page->entries.begin(), page->entries.end(), [&](const auto& entry) {
    return entry.rank == own.rank && IdOf(entry) == IdOf(own);
  });
  co_return has_row ? std::move(*page) : std::move(alone);
}

template Task<Outcome<PageOf<ConcertSoldOut>>> BoardReader::ReadRank<ConcertSoldOut>(RankQuery query);
template Task<Outcome<PageOf<ScheduleSoldOut>>> BoardReader::ReadRank<ScheduleSoldOut>(RankQuery query);

Task<Outcome<std::optional<ConcertRanks>>> BoardReader::RanksOf(ConcertId concert) {
  const auto row = co_await Find<ConcertSoldOut>(concert);
  if (!row.ok()) co_return row.error();
  if (!*row) co_return std::optional<ConcertRanks>{};
  std::vector<RowOnBoard<ConcertSoldOut>> wanted;
  for (const auto kind : {WindowKind::kDaily, WindowKind::kWeekly, WindowKind::kMonthly, WindowKind::kAll}) {
    const auto window = WindowOf(kind, (*row)->sold_out_at, context_.retention.zone());
    wanted.push_back({**row, {ConcertBoard(kind), window}});
  }
  const auto positions = co_await PositionsOf<ConcertSoldOut>(std::move(wanted));
  if (!positions.ok()) co_return positions.error();
  co_return std::optional{ConcertRanks{.daily = (*positions)[0].index + 1,
                                       .weekly = (*positions)[1].index + 1,
                                       .monthly = (*positions)[2].index + 1,
                                       .all = (*positions)[3].index + 1}};
}

Task<Outcome<std::vector<std::optional<ScheduleRanks>>>> BoardReader::RanksOfSchedules(
    std::vector<ScheduleId> schedules) {
  const auto rows = co_await context_.rows.Find<ScheduleSoldOut>(schedules);
  if (!rows.ok()) co_return rows.error();
  std::vector<RowOnBoard<ScheduleSoldOut>> wanted;
  for (const auto schedule : schedules) {
    const auto row = rows->find(schedule);
    if (row == rows->end()) continue;
    for (const auto kind : {WindowKind::kDaily, WindowKind::kWeekly, WindowKind::kMonthly}) {
      const auto window = WindowOf(kind, row->second.sold_out_at, context_.retention.zone());
      wanted.push_back({row->second, {*ScheduleBoard(kind), window}});
    }
  }
  const auto positions = co_await PositionsOf<ScheduleSoldOut>(std::move(wanted));
  if (!positions.ok()) co_return positions.error();
  std::vector<std::optional<ScheduleRanks>> ranks;
  auto position = positions->begin();
  for (const auto schedule : schedules) {
    ranks.emplace_back();
    if (!rows->contains(schedule)) continue;
    ranks.back() = {
        .daily = position[0].index + 1, .weekly = position[1].index + 1, .monthly = position[2].index + 1};
    position += 3;
  }
  co_return ranks;
}

// Progress.

Task<std::optional<Outcome<ProgressRows>>> BoardReader::ReadProgress(BoardWindow board,
                                                                     std::vector<std::string> words) {
  if (!context_.retention.IsKept(board)) co_return std::nullopt;
  const auto& keys = context_.keys;
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Exact(board)).Key(keys.Board(board)).Key(keys.Dates());
  arguments.Arg(BoardOf(board.board).member == BoardMember::kScheduleId ? 1 : 0);
  for (const auto& word : words) arguments.Arg(word);
  arguments.AppendRunId();
  auto reply = co_await context_.client.Eval(RankingScripts::Get().progress_read, std::move(arguments));
  if (!reply) {
    LogRefusal(reply.error());
    co_return std::nullopt;
  }
  co_return DecodeProgressRead(std::move(*reply));
}

Task<Outcome<RankingPage<RankedProgress>>> BoardReader::Progress(PageQuery query) {
  const auto first = std::max<std::int64_t>(query.first, 1) - 1;
  const auto count = std::max<std::int64_t>(query.count, 0);
  std::vector<std::string> words = {"page", std::to_string(first), std::to_string(count)};
  auto rows_in_redis = co_await ReadProgress(query.board, std::move(words));
  if (rows_in_redis) co_return MakeProgressPage(query.board, std::move(*rows_in_redis));
  auto rows = co_await context_.from_database.Progress(query.board);
  if (!rows.ok()) co_return rows.error();
  RankingPage<RankedProgress> page{{}, static_cast<std::int64_t>(rows->size())};
  for (auto i = first; i < std::min(first + count, page.total); ++i)
    page.entries.push_back((*rows)[static_cast<std::size_t>(i)]);
  co_return page;
}

Task<Outcome<RankedProgress>> BoardReader::ProgressOfMember(BoardWindow board, std::string member) {
  std::vector<std::string> words = {"member", member, ProgressSort(BoardOf(board.board), member)};
  auto rows_in_redis = co_await ReadProgress(board, std::move(words));
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
