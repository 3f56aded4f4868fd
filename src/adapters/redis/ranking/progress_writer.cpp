#include "adapters/redis/ranking/progress_writer.h"

#include <algorithm>
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
// How many event ids Redis remembers: an event that arrives behind more
// later events than this is taken for counted, until a reconciliation.
constexpr int kRememberedEvents = 65536;
// The keys of ranking_progress.lua before the boards.
constexpr int kFixedProgressKeys = 4;
constexpr Millis kFenceLease{30'000};

// The kept progress windows that a change belongs on.
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

// Holds are never in the future: from tomorrow (clocks differ) back to the end of the retention.
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

Task<Outcome<ProgressWriter::Counts>> ProgressWriter::ReadCounts() {
  Counts counts;
  for (const auto& window : Windows()) {
    if (!context_.retention.IsKept(window)) continue;
    auto orders = co_await context_.client.Call(
        Command("ZRANGE").Key(context_.keys.Exact(window)).Word("0").Word("-1"));
    if (!orders) co_return Refusal::kUnavailable;
    for (const auto& order : DecodeTexts(std::move(*orders))) {
      if (const auto row = ParseProgressOrder(order)) counts[window][row->member] = row->reserved;
    }
  }
  co_return counts;
}

Task<Outcome<std::int64_t>> ProgressWriter::RebuildBoards(Rebuild when) {
  const bool compare = when == Rebuild::kIfDifferent;
  auto state = co_await context_.client.Call(Command("HGET").Key(context_.keys.State()).Word("progress"));
  if (!state) co_return Refusal::kUnavailable;
  const auto version = state->AsInteger();
  // Nothing was counted since the last comparison found no difference.
  if (compare && version == compared_version_) co_return 0;
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
    auto in_redis = co_await ReadCounts();
    if (in_redis.ok()) {
      different = CountDifferences(counts, *in_redis);
      replace = different > 0;
      if (!replace) compared_version_ = version;
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

std::int64_t ProgressWriter::CountDifferences(const Counts& database, const Counts& redis) {
  std::map<std::pair<BoardWindow, std::string>, std::int64_t> sums;
  for (const auto& [window, rows] : database) {
    for (const auto& [member, seats] : rows) sums[{window, member}] += seats;
  }
  for (const auto& [window, rows] : redis) {
    for (const auto& [member, seats] : rows) sums[{window, member}] -= seats;
  }
  return std::count_if(sums.begin(), sums.end(), [](const auto& sum) { return sum.second != 0; });
}

Task<Outcome<Done>> ProgressWriter::Stage(BoardWindow board, std::map<std::string, std::int64_t> rows) {
  const auto board_key = context_.keys.Staged(board);
  const auto exact_key = context_.keys.StagedExact(board);
  std::ignore = co_await context_.client.Call(Command("DEL").Key(board_key).Key(exact_key));
  auto next = rows.begin();
  while (next != rows.end()) {
    auto counts = Command("ZADD").Key(board_key);
    auto orders = Command("ZADD").Key(exact_key);
    for (std::size_t i = 0; i < kRowsPerStaging && next != rows.end(); ++i, ++next) {
      counts.Word(next->second).Word(next->first);
      orders.Word("0").Word(ProgressOrder(BoardOf(board.board), next->first, next->second));
    }
    auto staged = co_await context_.client.Call(std::move(counts));
    if (!staged) co_return Refusal::kUnavailable;
    staged = co_await context_.client.Call(std::move(orders));
    if (!staged) co_return Refusal::kUnavailable;
  }
  const auto expiry = context_.retention.ExpiryText(board);
  if (expiry != "0") {
    std::ignore = co_await context_.client.Call(Command("PEXPIREAT").Key(board_key).Word(expiry));
    std::ignore = co_await context_.client.Call(Command("PEXPIREAT").Key(exact_key).Word(expiry));
  }
  co_return Done{};
}

Task<Outcome<Done>> ProgressWriter::ReplaceBoards(Counts counts, ReservedSeats reserved, std::string token) {
  ScriptArguments arguments;
  arguments.Key(context_.keys.State()).Key(context_.keys.Applied()).Key(context_.keys.Fence());
  for (const auto& window : Windows()) {
    auto staged = co_await Stage(window, counts[window]);
    if (!staged.ok()) co_return staged;
    arguments.Key(context_.keys.Board(window)).Key(context_.keys.Exact(window));
    arguments.Key(context_.keys.Staged(window)).Key(context_.keys.StagedExact(window));
  }
  auto dates = Command("HSET").Key(context_.keys.Dates());
  for (const auto& seats : reserved.seats) dates.Word(seats.schedule).Word(FormatDate(seats.concert_date));
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
