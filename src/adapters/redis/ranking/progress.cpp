// Booking progress in Redis, made anew from the database. A fence keeps everybody from counting meanwhile: what
// is delivered then comes again, and what the database had counted already is not counted twice.
#include <algorithm>
#include <tuple>

#include "adapters/redis/ranking/ranking_store.h"
#include "adapters/redis/ranking/rows.h"
#include "adapters/redis/ranking/scripts.h"

namespace maejin::redis {
namespace {

constexpr Millis kFenceFor{30'000};
constexpr std::size_t kProgressAtOnce = 1000;

}  // namespace

// Every progress board that Redis may hold: progress lies in the past, and not further than it is kept.
std::vector<BoardWindow> RankingStore::ProgressWindows() const {
  std::vector<BoardWindow> windows;
  const auto now = TimeFromMillis(now_ms_.load(std::memory_order_relaxed));
  for (const auto& board : Boards()) {
    if (board.source != BoardSource::kProgress) continue;
    for (auto day = now + std::chrono::days{1};; day -= std::chrono::days{1}) {
      const BoardWindow window{board.id, WindowOf(board.window, day, options_.zone)};
      if (windows.empty() || windows.back() != window) windows.push_back(window);
      if (board.window == WindowKind::kAll || !IsKept(window)) break;
    }
  }
  return windows;
}

RankingStore::Counts RankingStore::CountReserved(const ReservedSeats& reserved) const {
  Counts counts;
  for (const auto& seats : reserved.seats) {
    for (const auto& window : ProgressBoardsOf(seats))
      counts[window][ProgressMember(BoardOf(window.board), seats)] += seats.seats;
  }
  return counts;
}

Task<Outcome<RankingStore::Counts>> RankingStore::ReadCounts() {
  Counts counts;
  for (const auto& window : ProgressWindows()) {
    if (!IsKept(window)) continue;
    auto orders = co_await client_.Call(Command("ZRANGE").Key(keys_.Exact(window)).Word("0").Word("-1"));
    if (!orders) co_return Refusal::kUnavailable;
    for (const auto& order : orders->elements) {
      if (const auto row = ParseProgressOrder(order.text)) counts[window][row->member] = row->reserved;
    }
  }
  co_return counts;
}

Task<Outcome<bool>> RankingStore::RaiseFence(std::string token) {
  auto raised = co_await client_.Call(
      Command("SET").Key(keys_.Fence()).Word(token).Word("NX").Word("PX").Word(kFenceFor.count()));
  if (!raised) co_return Refusal::kUnavailable;
  co_return !raised->is_nil();
}

// Returns how many rows were wrong. `only_if_wrong`: replaces nothing where all is right, and does not look
// where nothing was counted since it was right.
Task<Outcome<std::int64_t>> RankingStore::RebuildProgress(bool only_if_wrong) {
  auto state = co_await client_.Call(Command("HGET").Key(keys_.State()).Word("progress"));
  if (!state) co_return Refusal::kUnavailable;
  const auto version = state->AsInteger();
  if (only_if_wrong && version == compared_progress_) co_return 0;
  const auto token = std::to_string(random_.Next64());
  auto raised = co_await RaiseFence(token);
  if (!raised.ok()) co_return raised.error();
  if (!*raised) co_return Refusal::kUnavailable;
  auto reserved = co_await history_.Reserved();
  Counts counts;
  std::int64_t wrong = 0;
  bool replace = reserved.ok() && !only_if_wrong;
  if (reserved.ok()) counts = CountReserved(*reserved);
  if (reserved.ok() && only_if_wrong && reserved->pending.empty()) {
    auto live = co_await ReadCounts();
    if (live.ok()) {
      wrong = DifferencesBetween(counts, *live);
      replace = wrong > 0;
      if (!replace) compared_progress_ = version;
    }
  }
  Outcome<Done> replaced = Done{};
  if (replace) replaced = co_await ReplaceProgress(std::move(counts), *reserved, token);
  if (replace && replaced.ok()) co_return wrong;
  std::ignore = co_await client_.Call(Command("DEL").Key(keys_.Fence()));
  if (!reserved.ok()) co_return reserved.error();
  if (!replaced.ok()) co_return replaced.error();
  co_return wrong;
}

std::int64_t RankingStore::DifferencesBetween(const Counts& database, const Counts& live) {
  std::map<std::pair<BoardWindow, std::string>, std::int64_t> sums;
  for (const auto& [window, rows] : database) {
    for (const auto& [member, seats] : rows) sums[{window, member}] += seats;
  }
  for (const auto& [window, rows] : live) {
    for (const auto& [member, seats] : rows) sums[{window, member}] -= seats;
  }
  return std::count_if(sums.begin(), sums.end(), [](const auto& sum) { return sum.second != 0; });
}

Task<Outcome<Done>> RankingStore::Stage(BoardWindow board, std::map<std::string, std::int64_t> rows) {
  const auto seeds = keys_.Staged(board);
  const auto exact = keys_.StagedExact(board);
  std::ignore = co_await client_.Call(Command("DEL").Key(seeds).Key(exact));
  auto next = rows.begin();
  while (next != rows.end()) {
    auto counts = Command("ZADD").Key(seeds);
    auto orders = Command("ZADD").Key(exact);
    for (std::size_t i = 0; i < kProgressAtOnce && next != rows.end(); ++i, ++next) {
      counts.Word(next->second).Word(next->first);
      orders.Word("0").Word(ProgressOrder(BoardOf(board.board), next->first, next->second));
    }
    auto staged = co_await client_.Call(std::move(counts));
    if (!staged) co_return Refusal::kUnavailable;
    staged = co_await client_.Call(std::move(orders));
    if (!staged) co_return Refusal::kUnavailable;
  }
  const auto expiry = ExpiryText(board);
  if (expiry != "0") {
    std::ignore = co_await client_.Call(Command("PEXPIREAT").Key(seeds).Word(expiry));
    std::ignore = co_await client_.Call(Command("PEXPIREAT").Key(exact).Word(expiry));
  }
  co_return Done{};
}

Task<Outcome<Done>> RankingStore::ReplaceProgress(Counts counts, ReservedSeats reserved, std::string token) {
  ScriptArguments arguments;
  arguments.Key(keys_.State()).Key(keys_.Applied()).Key(keys_.Fence());
  for (const auto& window : ProgressWindows()) {
    auto staged = co_await Stage(window, counts[window]);
    if (!staged.ok()) co_return staged;
    arguments.Key(keys_.Board(window)).Key(keys_.Exact(window));
    arguments.Key(keys_.Staged(window)).Key(keys_.StagedExact(window));
  }
  auto dates = Command("HSET").Key(keys_.Dates());
  for (const auto& seats : reserved.seats) dates.Word(seats.schedule).Word(FormatDate(seats.concert_date));
  if (!reserved.seats.empty()) {
    auto written = co_await client_.Call(std::move(dates));
    if (!written) co_return Refusal::kUnavailable;
  }
  arguments.Arg(token);
  for (const auto id : reserved.pending) arguments.Arg(id);
  auto replaced = co_await client_.Eval(RankingScripts::Get().replace, std::move(arguments));
  if (!replaced || replaced->AsInteger() != 1) co_return Refusal::kUnavailable;
  co_return Done{};
}

}  // namespace maejin::redis
