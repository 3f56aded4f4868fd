// The life of the boards in Redis: made from the database, compared with it, pruned.
#include <algorithm>
#include <tuple>

#include "adapters/redis/ranking/ranking_store.h"
#include "adapters/redis/ranking/rows.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

// Rows of the database that are compared in one step, and by one call of Reconcile().
constexpr std::size_t kComparedAtOnce = 500;
constexpr std::int64_t kReconciledRows = 5000;
constexpr Millis kLookEvery{1000};
// One node makes the boards anew; if it dies, another after this.
constexpr Millis kBuilderLease{15'000};

std::int64_t DaysSinceEpoch(Date date) { return std::chrono::sys_days{date}.time_since_epoch().count(); }

}  // namespace

// Sold-outs are never deleted: the boards are right when every row of the database is on them and no other.
template <class SoldOut>
Task<Outcome<RankingStore::Walk>> RankingStore::RepairNext(
    Walk walk, std::shared_ptr<std::unordered_set<std::int64_t>> seen) {
  auto rows = co_await RowsAfter<SoldOut>(walk.after, kComparedAtOnce);
  if (!rows.ok()) co_return rows.error();
  walk.ended = rows->size() < kComparedAtOnce;
  walk.checked += static_cast<std::int64_t>(rows->size());
  if (!rows->empty()) walk.after = IdOf(rows->back());
  if (seen) {
    for (const auto& row : *rows) seen->insert(IdOf(row));
  }
  auto told = co_await Add(*rows, true);
  if (!told.ok()) co_return told.error();
  std::vector<SoldOut> wrong;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const auto& answer = (*told)[i];
    if (answer.is_text()) {
      if (auto other = Unpack<SoldOut>(answer.text)) {
        auto removed = co_await Remove(std::move(*other));
        if (!removed.ok()) co_return removed.error();
      } else {
        auto removed = co_await Remove((*rows)[i]);
        if (!removed.ok()) co_return removed.error();
      }
      wrong.push_back((*rows)[i]);
    }
    if (answer.is_text() || answer.AsInteger() != 0) ++walk.drift;
  }
  auto again = co_await Add(std::move(wrong), true);
  if (!again.ok()) co_return again.error();
  co_return walk;
}

// Rows that the database does not have. Something sold out since it was read is no such row.
template <class SoldOut>
Task<Outcome<std::int64_t>> RankingStore::RemoveExtras(
    std::shared_ptr<const std::unordered_set<std::int64_t>> known) {
  std::int64_t removed = 0;
  std::string cursor = "0";
  do {
    auto page = co_await client_.Call(
        Command("HSCAN").Key(keys_.Details(kSourceOf<SoldOut>)).Word(cursor).Word("COUNT").Word("1000"));
    if (!page) co_return Refusal::kUnavailable;
    cursor = page->At(0).text;
    const auto& fields = page->At(1).elements;
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
      const auto id = fields[i].AsInteger();
      if (known->contains(id)) continue;
      auto row = co_await RowsAfter<SoldOut>(id - 1, 1);
      if (!row.ok()) co_return row.error();
      if (!row->empty() && IdOf(row->front()) == id) continue;
      if (auto extra = Unpack<SoldOut>(fields[i + 1].text)) {
        auto gone = co_await Remove(std::move(*extra));
        if (!gone.ok()) co_return gone.error();
      }
      ++removed;
    }
  } while (cursor != "0");
  co_return removed;
}

template <class SoldOut>
Task<Outcome<std::int64_t>> RankingStore::RepairAll() {
  const auto seen = std::make_shared<std::unordered_set<std::int64_t>>();
  Walk walk;
  while (!walk.ended) {
    auto next = co_await RepairNext<SoldOut>(walk, seen);
    if (!next.ok()) co_return next.error();
    walk = *next;
  }
  auto extras = co_await RemoveExtras<SoldOut>(seen);
  if (!extras.ok()) co_return extras.error();
  co_return walk.drift + *extras;
}

// As ranking_look.lua tells it.
Task<CallResult> RankingStore::AskState() {
  ScriptArguments arguments;
  arguments.Key(keys_.State()).TellServer();
  return client_.Eval(RankingScripts::Get().look, std::move(arguments));
}

Task<Outcome<Done>> RankingStore::Rebuild() {
  const auto begun = co_await AskState();
  if (!begun) co_return Refusal::kUnavailable;
  const auto pruned = co_await history_.PrunedBefore();
  if (!pruned.ok()) co_return pruned.error();
  pruned_before_ = DaysSinceEpoch(*pruned);
  auto concerts = co_await RepairAll<ConcertSoldOut>();
  if (!concerts.ok()) co_return concerts.error();
  auto schedules = co_await RepairAll<ScheduleSoldOut>();
  if (!schedules.ok()) co_return schedules.error();
  auto progress = co_await RebuildProgress(false);
  if (!progress.ok()) co_return progress.error();
  ScriptArguments arguments;
  arguments.Key(keys_.State()).Arg(begun->At(3).text).Arg(pruned_before_.load()).TellServer();
  const auto made = co_await client_.Eval(RankingScripts::Get().made, std::move(arguments));
  if (!made || made->AsInteger() != 1) co_return Refusal::kUnavailable;
  from_database_.Forget();
  co_return Done{};
}

Task<Outcome<Done>> RankingStore::Warm() {
  const auto state = co_await AskState();
  if (!state) co_return Refusal::kUnavailable;
  if (state->At(0).text != "1") {
    auto rebuilt = co_await Rebuild();
    co_return rebuilt;
  }
  const auto pruned = co_await history_.PrunedBefore();
  if (!pruned.ok()) co_return pruned.error();
  pruned_before_ = DaysSinceEpoch(*pruned);
  co_return Done{};
}

Task<Outcome<PruneReport>> RankingStore::Prune(Date before) {
  const auto pruned = co_await history_.Prune(before);
  if (!pruned.ok()) co_return pruned.error();
  pruned_before_ = DaysSinceEpoch(*pruned);
  auto names = co_await client_.Call(
      Command("ZRANGEBYSCORE").Key(keys_.Windows()).Word("-inf").Word(pruned_before_.load()));
  if (!names) co_return Refusal::kUnavailable;
  ScriptArguments arguments;
  arguments.Key(keys_.State()).Key(keys_.Windows());
  for (const auto& name : names->elements) {
    const auto window = ParseWindowName(name.text);
    if (window) arguments.Key(keys_.Board(*window)).Key(keys_.Exact(*window));
  }
  arguments.Arg(pruned_before_.load());
  for (const auto& name : names->elements) {
    if (ParseWindowName(name.text)) arguments.Arg(name.text);
  }
  auto dropped = co_await client_.Eval(RankingScripts::Get().drop, std::move(arguments));
  if (!dropped) co_return Refusal::kUnavailable;
  from_database_.Forget();
  co_return PruneReport{dropped->At(0).AsInteger(), dropped->At(1).AsInteger()};
}

Task<Outcome<ReconcileReport>> RankingStore::Reconcile() {
  ReconcileReport report;
  Walk concerts;
  Walk schedules;
  {
    const std::lock_guard lock(walk_mutex_);
    concerts.after = concerts_walk_.ended ? INT64_MIN : concerts_walk_.after;
    schedules.after = schedules_walk_.ended ? INT64_MIN : schedules_walk_.after;
  }
  while (!concerts.ended && concerts.checked < kReconciledRows) {
    auto next = co_await RepairNext<ConcertSoldOut>(concerts, nullptr);
    if (!next.ok()) co_return next.error();
    concerts = *next;
  }
  while (!schedules.ended && schedules.checked < kReconciledRows) {
    auto next = co_await RepairNext<ScheduleSoldOut>(schedules, nullptr);
    if (!next.ok()) co_return next.error();
    schedules = *next;
  }
  {
    const std::lock_guard lock(walk_mutex_);
    concerts_walk_ = concerts;
    schedules_walk_ = schedules;
  }
  // While seats are being reserved all the time there is no moment to compare: then the next call does.
  const auto progress = co_await RebuildProgress(true);
  report.checked = concerts.checked + schedules.checked;
  report.drift = concerts.drift + schedules.drift + (progress.ok() ? *progress : 0);
  drift_.fetch_add(static_cast<std::uint64_t>(report.drift), std::memory_order_relaxed);
  if (report.drift > 0) {
    LogWarning("rankings: {} rows had drifted from the database and were repaired", report.drift);
    from_database_.Forget();
  }
  co_return report;
}

// The ticker.

void RankingStore::Tick(Time now) {
  const auto ms = ToMillis(now);
  auto latest = now_ms_.load(std::memory_order_relaxed);
  while (ms > latest && !now_ms_.compare_exchange_weak(latest, ms)) {
  }
  auto due = next_look_ms_.load(std::memory_order_relaxed);
  if (ms < due || !next_look_ms_.compare_exchange_strong(due, ms + kLookEvery.count())) return;
  if (errands_->Begin(true)) client_.Spawn(Look());
}

// Are the boards complete, and at least what they were? What Redis has lost is read from the database until it
// was made anew.
Task<void> RankingStore::Look() {
  const auto expected = changes_.load();
  auto state = co_await AskState();
  if (state) {
    const auto changes = state->At(1).AsInteger();
    auto pruned = pruned_before_.load();
    while (state->At(2).AsInteger() > pruned &&
           !pruned_before_.compare_exchange_weak(pruned, state->At(2).AsInteger())) {
    }
    const bool lost = changes < expected;
    changes_ = changes;
    if (lost) {
      LogWarning("rankings: Redis has lost what it knew; the boards are made anew from the database");
      std::ignore = co_await client_.Call(Command("HDEL").Key(keys_.State()).Word("complete"));
    }
    if (lost || state->At(0).text != "1") {
      auto mine = co_await client_.Call(
          Command("SET").Key(keys_.Builder()).Word(node_).Word("NX").Word("PX").Word(kBuilderLease.count()));
      if (mine && !mine->is_nil()) {
        const auto rebuilt = co_await Rebuild();
        if (rebuilt.ok()) LogInfo("rankings: the boards in Redis are complete");
        std::ignore = co_await client_.Call(Command("DEL").Key(keys_.Builder()));
      }
    }
  }
  errands_->End();
}

}  // namespace maejin::redis
