#include "adapters/redis/ranking/progress_writer.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <span>
#include <tuple>

#include "adapters/redis/lock/lease.h"
#include "adapters/redis/ranking/replies.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

constexpr std::size_t kEventsPerScript = 100;
constexpr std::size_t kRowsPerStaging = 1000;
// The number of event ids that Redis remembers. If more later events than this arrive first, an event is
// taken for applied; a reconciliation then repairs its count.
constexpr int kRememberedEvents = 65536;
// The keys of ranking_progress.lua before the boards.
constexpr int kFixedProgressKeys = 4;
constexpr Millis kFenceLease{30'000};
// How many comparisons in a row may use the result of the last one instead of the database.
constexpr int kComparedFromMemory = 9;

// The progress boards that the change belongs on and Redis keeps.
std::vector<BoardWindow> KeptProgressBoards(const ProgressChanged& change, const BoardRetention& retention) {
  std::vector<BoardWindow> kept;
  const auto day = retention.zone().LocalDay(change.held_at);
  for (const auto& board : Boards()) {
    const BoardWindow window{board.id, WindowOf(board.window, day)};
    if (board.source == BoardSource::kProgress && retention.IsKept(window)) kept.push_back(window);
  }
  return kept;
}

ScriptArguments ProgressArguments(const RankingContext& context, std::span<const BookingEvent> events) {
  const auto& keys = context.keys;
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Applied()).Key(keys.Dates()).Key(keys.Fence());
  std::map<BoardWindow, int> key_index;  // from 1, as Lua counts
  std::vector<std::vector<BoardWindow>> boards;
  for (const auto& event : events) {
    boards.push_back(KeptProgressBoards(std::get<ProgressChanged>(event.fact), context.retention));
    for (const auto& window : boards.back()) {
      const auto next = kFixedProgressKeys + 1 + 2 * static_cast<int>(key_index.size());
      if (!key_index.try_emplace(window, next).second) continue;
      arguments.Key(keys.Board(window)).Key(keys.Exact(window));
    }
  }
  arguments.Arg(kRememberedEvents);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& change = std::get<ProgressChanged>(events[i].fact);
    arguments.Arg(events[i].id).Arg(change.schedule).Arg(FormatDate(change.concert_date)).Arg(change.seats);
    arguments.Arg(boards[i].size());
    for (const auto& window : boards[i]) {
      const auto& board = BoardOf(window.board);
      const auto member = ProgressMember(board, change);
      arguments.Arg(key_index[window]).Arg(member).Arg(ProgressSort(board, member));
      arguments.Arg(context.retention.ExpiryText(window));
    }
  }
  return arguments;
}

}  // namespace

Task<Outcome<Done>> ProgressWriter::Apply(std::vector<BookingEvent> events) {
  std::erase_if(events,
                [](const auto& event) { return !std::holds_alternative<ProgressChanged>(event.fact); });
  for (std::size_t at = 0; at < events.size(); at += kEventsPerScript) {
    const auto some =
        std::span<const BookingEvent>(events).subspan(at, std::min(kEventsPerScript, events.size() - at));
    auto arguments = ProgressArguments(context_, some);
    auto reply = co_await context_.client.Eval(RankingScripts::Get().progress, std::move(arguments));
    if (!reply) {
      if (reply.error().kind == RedisError::Kind::kRefused)
        LogError("redis: rankings: {}", reply.error().text);
      co_return Refusal::kUnavailable;
    }
    if (!DecodeProgress(*reply)) co_return Refusal::kUnavailable;
  }
  co_return Done{};
}

// Holds are never in the future, but clocks differ: the windows go from tomorrow back to the end of the
// retention.
std::vector<BoardWindow> ProgressWriter::Windows() const {
  std::vector<BoardWindow> windows;
  for (const auto& board : Boards()) {
    if (board.source != BoardSource::kProgress) continue;
    for (auto day = context_.retention.now() + std::chrono::days{1};; day -= std::chrono::days{1}) {
      const BoardWindow window{board.id, WindowOf(board.window, day, context_.retention.zone())};
      if (windows.empty() || windows.back() != window) windows.push_back(window);
      if (board.window == WindowKind::kAll || !context_.retention.IsKept(window)) break;
    }
  }
  return windows;
}

ProgressWriter::Counts ProgressWriter::CountReserved(const ReservedSeats& reserved) const {
  Counts counts;
  for (const auto& seats : reserved.seats) {
    for (const auto& window : KeptProgressBoards(seats, context_.retention))
      counts[window][ProgressMember(BoardOf(window.board), seats)] += seats.seats;
  }
  return counts;
}

ProgressWriter::Dates ProgressWriter::DatesOf(const ReservedSeats& reserved) {
  Dates dates;
  for (const auto& seats : reserved.seats)
    dates[std::to_string(seats.schedule)] = FormatDate(seats.concert_date);
  return dates;
}

Task<Outcome<ProgressWriter::InRedis>> ProgressWriter::ReadRedis() {
  InRedis found;
  for (const auto& window : Windows()) {
    if (!context_.retention.IsKept(window)) continue;
    auto scores = co_await context_.client.Call(
        Command("ZRANGE").Key(context_.keys.Board(window)).Word("0").Word("-1").Word("WITHSCORES"));
    if (!scores) co_return Refusal::kUnavailable;
    for (const auto& row : DecodeScores(std::move(*scores)))
      found.boards[window][row.member] = std::strtoll(row.score.c_str(), nullptr, 10);
    auto orders = co_await context_.client.Call(
        Command("ZRANGE").Key(context_.keys.Exact(window)).Word("0").Word("-1"));
    if (!orders) co_return Refusal::kUnavailable;
    for (const auto& order : DecodeTexts(std::move(*orders))) {
      const auto row = ParseProgressOrder(order);
      found.exact[window][row ? row->member : order] += row ? row->reserved : 0;
    }
  }
  auto dates = co_await context_.client.Call(Command("HGETALL").Key(context_.keys.Dates()));
  if (!dates) co_return Refusal::kUnavailable;
  found.dates = DecodeFields(std::move(*dates));
  co_return found;
}

bool ProgressWriter::IsUnchanged(std::int64_t version, const InRedis& redis) {
  const std::lock_guard lock(mutex_);
  // Exact sets are compared with their boards: one may have been built or may have expired since then.
  const bool same = version == compared_version_ && redis.boards == compared_.boards &&
                    redis.dates == compared_.dates &&
                    std::all_of(redis.exact.begin(), redis.exact.end(), [&](const auto& set) {
                      const auto board = redis.boards.find(set.first);
                      return board != redis.boards.end() && board->second == set.second;
                    });
  if (!same || unchanged_ >= kComparedFromMemory) return false;
  ++unchanged_;
  return true;
}

Task<Outcome<std::int64_t>> ProgressWriter::RebuildBoards(Rebuild when) {
  const bool compare = when == Rebuild::kIfDifferent;
  auto state = co_await context_.client.Call(Command("HGET").Key(context_.keys.State()).Word("progress"));
  if (!state) co_return Refusal::kUnavailable;
  const auto version = state->AsInteger();
  if (compare) {
    const auto redis = co_await ReadRedis();
    if (!redis.ok()) co_return redis.error();
    if (IsUnchanged(version, *redis)) co_return 0;
  }
  Lease fence(context_.client, context_.keys.Fence(), std::to_string(random_.Next64()));
  auto raised = co_await fence.Take(kFenceLease);
  if (!raised.ok()) co_return raised.error();
  if (!*raised) co_return Refusal::kUnavailable;
  auto reserved = co_await context_.history.Reserved();
  Counts counts;
  std::int64_t different = 0;
  bool replace = reserved.ok() && !compare;
  if (reserved.ok()) counts = CountReserved(*reserved);
  if (reserved.ok() && compare && reserved->pending.empty()) {
    // Reads again: now the fence keeps all nodes from counting events.
    auto redis = co_await ReadRedis();
    if (redis.ok()) {
      different = CountDifferences(counts, DatesOf(*reserved), *redis);
      replace = different > 0;
      const std::lock_guard lock(mutex_);
      compared_version_ = replace ? -1 : version;
      compared_ = std::move(*redis);
      unchanged_ = 0;
    }
  }
  Outcome<Done> replaced = Done{};
  if (replace) replaced = co_await ReplaceBoards(std::move(counts), *reserved, fence.token());
  if (replace && replaced.ok()) co_return different;
  std::ignore = co_await fence.Release();
  if (!reserved.ok()) co_return reserved.error();
  if (!replaced.ok()) co_return replaced.error();
  co_return different;
}

std::int64_t ProgressWriter::CountDifferences(const Counts& database, const Dates& dates,
                                              const InRedis& redis) {
  std::set<std::pair<BoardWindow, std::string>> different;
  const auto compare = [&](const Counts& one, const Counts& other, const BoardWindow& window) {
    static const std::map<std::string, std::int64_t> kNone;
    const auto a = one.find(window);
    const auto b = other.find(window);
    const auto& rows = a == one.end() ? kNone : a->second;
    const auto& others = b == other.end() ? kNone : b->second;
    for (const auto& [member, seats] : rows) {
      const auto row = others.find(member);
      if (row == others.end() || row->second != seats) different.insert({window, member});
    }
  };
  for (const auto& [window, rows] : database) compare(database, redis.boards, window);
  for (const auto& [window, rows] : redis.boards) compare(redis.boards, database, window);
  for (const auto& [window, rows] : redis.exact) {
    compare(database, redis.exact, window);
    compare(redis.exact, database, window);
  }
  const auto wrong_dates = std::count_if(dates.begin(), dates.end(), [&](const auto& date) {
    const auto found = redis.dates.find(date.first);
    return found == redis.dates.end() || found->second != date.second;
  });
  return static_cast<std::int64_t>(different.size()) + wrong_dates;
}

Task<Outcome<Done>> ProgressWriter::Stage(BoardWindow board, std::map<std::string, std::int64_t> rows) {
  const auto key = context_.keys.Staged(board);
  std::ignore = co_await context_.client.Call(Command("DEL").Key(key));
  auto next = rows.begin();
  while (next != rows.end()) {
    auto counts = Command("ZADD").Key(key);
    for (std::size_t i = 0; i < kRowsPerStaging && next != rows.end(); ++i, ++next)
      counts.Word(next->second).Word(next->first);
    auto staged = co_await context_.client.Call(std::move(counts));
    if (!staged) co_return Refusal::kUnavailable;
  }
  const auto expiry = context_.retention.ExpiryText(board);
  if (expiry != "0") std::ignore = co_await context_.client.Call(Command("PEXPIREAT").Key(key).Word(expiry));
  co_return Done{};
}

Task<Outcome<Done>> ProgressWriter::ReplaceBoards(Counts counts, ReservedSeats reserved, std::string token) {
  ScriptArguments arguments;
  arguments.Key(context_.keys.State()).Key(context_.keys.Applied()).Key(context_.keys.Fence());
  for (const auto& window : Windows()) {
    auto staged = co_await Stage(window, counts[window]);
    if (!staged.ok()) co_return staged;
    arguments.Key(context_.keys.Board(window)).Key(context_.keys.Exact(window));
    arguments.Key(context_.keys.Staged(window));
  }
  auto dates = Command("HSET").Key(context_.keys.Dates());
  for (const auto& [schedule, date] : DatesOf(reserved)) dates.Word(schedule).Word(date);
  if (!reserved.seats.empty()) {
    auto written = co_await context_.client.Call(std::move(dates));
    if (!written) co_return Refusal::kUnavailable;
  }
  arguments.Arg(token);
  for (const auto id : reserved.pending) arguments.Arg(id);
  auto replaced = co_await context_.client.Eval(RankingScripts::Get().replace, std::move(arguments));
  if (!replaced || !DecodeSuccess(*replaced)) co_return Refusal::kUnavailable;
  co_return Done{};
}

}  // namespace maejin::redis
