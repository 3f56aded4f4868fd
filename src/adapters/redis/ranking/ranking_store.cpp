#include "adapters/redis/ranking/ranking_store.h"

#include <map>
#include <tuple>

#include "adapters/redis/lock/lease.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"
#include "domain/ranking/import_ids.h"

namespace maejin::redis {
namespace {

constexpr Millis kCheckInterval{1000};
// One node rebuilds the boards. If it dies, another node may rebuild them after this time.
constexpr Millis kBuilderLease{15'000};

}  // namespace

RankingStore::RankingStore(Client& client, RankingHistory& history, Random& random,
                           RankingStoreOptions options)
    : BoardReads(client, history, options),
      node_(std::to_string(random.Next64())),
      sold_outs_(context_),
      repair_(context_, sold_outs_),
      progress_(context_, random),
      movements_(context_, reader_, node_) {}

RankingStore::~RankingStore() {
  movements_.Stop();
  context_.in_flight->Close();
}

// Writes.

template <class SoldOut>
Task<Outcome<Done>> RankingStore::RankAndAnnounce(std::vector<SoldOut> rows) {
  context_.from_database.Invalidate();
  const auto added = co_await sold_outs_.Add(rows);
  if (!added.ok()) co_return added.error();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((*added)[i] == AddedRow::kNew) co_await movements_.Announce(rows[i]);
  }
  co_return Done{};
}

template <class SoldOut>
Task<Outcome<Done>> RankingStore::ApplySoldOuts(std::vector<std::int64_t> ids) {
  if (ids.empty()) co_return Done{};
  const auto found = co_await RowsWith<SoldOut>(context_.history, ids);
  if (!found.ok()) co_return found.error();
  // Ranks the rows in the order of the events, each row once.
  std::map<std::int64_t, const SoldOut*> rows;
  for (const auto& row : *found) rows[IdOf(row)] = &row;
  std::vector<SoldOut> ordered;
  for (const auto id : ids) {
    const auto row = rows.find(id);
    if (row == rows.end()) continue;
    ordered.push_back(*row->second);
    rows.erase(row);
  }
  auto ranked = co_await RankAndAnnounce(std::move(ordered));
  co_return ranked;
}

Task<Outcome<Done>> RankingStore::Apply(std::vector<BookingEvent> events) {
  std::vector<ConcertId> concerts;
  std::vector<ScheduleId> schedules;
  for (const auto& event : events) {
    if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact)) concerts.push_back(concert->concert);
    if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact))
      schedules.push_back(schedule->schedule);
  }
  auto ranked = co_await ApplySoldOuts<ConcertSoldOut>(std::move(concerts));
  if (!ranked.ok()) co_return ranked;
  ranked = co_await ApplySoldOuts<ScheduleSoldOut>(schedules);
  if (!ranked.ok()) co_return ranked;
  {
    const std::lock_guard lock(sold_out_mutex_);
    sold_out_.insert(sold_out_.end(), schedules.begin(), schedules.end());
  }
  auto counted = co_await progress_.Apply(std::move(events));
  co_return counted;
}

Task<void> RankingStore::RankCommitted(ScheduleId schedule, ConcertId concert) {
  if (!context_.client.connected()) co_return;
  std::vector<ScheduleId> schedules = {schedule};
  const auto ranked = co_await ApplySoldOuts<ScheduleSoldOut>(std::move(schedules));
  if (!ranked.ok() || concert == 0) co_return;
  std::vector<ConcertId> concerts = {concert};
  std::ignore = co_await ApplySoldOuts<ConcertSoldOut>(std::move(concerts));
}

Task<Outcome<std::vector<Imported>>> RankingStore::Import(std::vector<SoldOutHistory> histories) {
  for (auto& history : histories) AssignIds(history);
  auto imported = co_await context_.history.Import(histories);
  if (!imported.ok()) co_return imported.error();
  std::vector<ConcertSoldOut> concerts;
  std::vector<ScheduleSoldOut> schedules;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    if ((*imported)[i] != Imported::kNew) continue;
    concerts.push_back(std::move(histories[i].concert));
    for (auto& schedule : histories[i].schedules) schedules.push_back(schedule);
  }
  context_.from_database.Invalidate();
  // The database has the rows: if Redis is unavailable now, a later reconciliation ranks them.
  const auto ranked = co_await sold_outs_.Add(std::move(concerts));
  if (ranked.ok()) std::ignore = co_await sold_outs_.Add(std::move(schedules));
  co_return imported;
}

void RankingStore::OnMovement(std::function<void(const RankingMovement&)> listener) {
  movements_.Listen(std::move(listener));
}

Task<Outcome<bool>> RankingStore::BindToDatabase(std::string database) {
  auto bind = Command("SETNX").Key(context_.keys.Owner()).Word(database);
  const auto bound = co_await context_.client.Call(std::move(bind));
  if (!bound.ok()) co_return Refusal::kUnavailable;
  auto read = Command("GET").Key(context_.keys.Owner());
  const auto owner = co_await context_.client.Call(std::move(read));
  if (!owner.ok()) co_return Refusal::kUnavailable;
  co_return owner->text == database;
}

// Upkeep.

Task<Outcome<BoardState>> RankingStore::ReadState() {
  ScriptArguments arguments;
  arguments.Key(context_.keys.State()).AppendRunId();
  auto reply = co_await context_.client.Eval(RankingScripts::Get().check_state, std::move(arguments));
  if (!reply) co_return Refusal::kUnavailable;
  co_return DecodeState(*reply);
}

// Earlier versions kept details and an exact set of every board in Redis.
Task<void> RankingStore::RemoveOldKeys() {
  const auto& keys = context_.keys;
  auto unlink = Command("UNLINK").Key(keys.OldConcerts()).Key(keys.OldSchedules());
  for (const auto source : {BoardSource::kSoldOutConcerts, BoardSource::kSoldOutSchedules}) {
    const auto windows = co_await repair_.KeptWindows(source);
    if (!windows.ok()) co_return;
    for (const auto& window : *windows) unlink.Key(keys.Exact(window));
  }
  std::ignore = co_await context_.client.Call(std::move(unlink));
}

Task<Outcome<Done>> RankingStore::Rebuild() {
  const auto begun = co_await ReadState();
  if (!begun.ok()) co_return begun.error();
  const auto pruned = co_await context_.history.PrunedBefore();
  if (!pruned.ok()) co_return pruned.error();
  context_.retention.set_pruned_before(*pruned);
  context_.rows.Clear();
  co_await RemoveOldKeys();
  auto repaired = co_await repair_.RepairAll();
  if (!repaired.ok()) co_return repaired.error();
  auto progress = co_await progress_.RebuildBoards(ProgressWriter::Rebuild::kAlways);
  if (!progress.ok()) co_return progress.error();
  ScriptArguments arguments;
  arguments.Key(context_.keys.State()).Arg(begun->server);
  arguments.Arg(context_.retention.pruned_before()).AppendRunId();
  const auto marked =
      co_await context_.client.Eval(RankingScripts::Get().mark_complete, std::move(arguments));
  if (!marked || !DecodeSuccess(*marked)) co_return Refusal::kUnavailable;
  context_.from_database.Invalidate();
  co_return Done{};
}

Task<Outcome<Done>> RankingStore::EnsureComplete() {
  const auto state = co_await ReadState();
  if (!state.ok()) co_return state.error();
  const auto old = co_await context_.client.Call(Command("EXISTS").Key(context_.keys.OldConcerts()));
  if (!state->complete || (old && old->AsInteger() == 1)) {
    auto rebuilt = co_await Rebuild();
    co_return rebuilt;
  }
  const auto pruned = co_await context_.history.PrunedBefore();
  if (!pruned.ok()) co_return pruned.error();
  context_.retention.set_pruned_before(*pruned);
  co_return Done{};
}

Task<Outcome<PruneReport>> RankingStore::Prune(Date before) {
  const auto pruned = co_await context_.history.Prune(before);
  if (!pruned.ok()) co_return pruned.error();
  context_.retention.set_pruned_before(*pruned);
  const auto& keys = context_.keys;
  const auto last_day = context_.retention.pruned_before();
  auto reply =
      co_await context_.client.Call(Command("ZRANGEBYSCORE").Key(keys.Windows()).Word("-inf").Word(last_day));
  if (!reply) co_return Refusal::kUnavailable;
  const auto names = DecodeTexts(std::move(*reply));
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Windows());
  for (const auto& name : names) {
    const auto window = ParseWindowName(name);
    if (window) arguments.Key(keys.Board(*window));
  }
  arguments.Arg(last_day);
  for (const auto& name : names) {
    if (ParseWindowName(name)) arguments.Arg(name);
  }
  auto dropped = co_await context_.client.Eval(RankingScripts::Get().drop, std::move(arguments));
  if (!dropped) co_return Refusal::kUnavailable;
  context_.from_database.Invalidate();
  co_return DecodeDrop(*dropped);
}

Task<Outcome<ReconcileReport>> RankingStore::Reconcile() {
  auto report = co_await repair_.RepairNext();
  if (!report.ok()) co_return report.error();
  // While seats change too fast for a consistent snapshot, the database refuses; then the next call compares.
  const auto progress = co_await progress_.RebuildBoards(ProgressWriter::Rebuild::kIfDifferent);
  if (progress.ok()) report->drift += *progress;
  drift_.fetch_add(static_cast<std::uint64_t>(report->drift), std::memory_order_relaxed);
  if (report->drift > 0) {
    LogWarning("rankings: repaired {} rows that differed from the database", report->drift);
    context_.from_database.Invalidate();
  }
  co_return report;
}

void RankingStore::Tick(Time now) {
  context_.retention.AdvanceTo(now);
  const auto ms = ToMillis(now);
  auto due = next_check_ms_.load(std::memory_order_relaxed);
  if (ms < due || !next_check_ms_.compare_exchange_strong(due, ms + kCheckInterval.count())) return;
  if (context_.in_flight->Begin(true)) context_.client.Spawn(CheckState());
}

// Reading ranks builds the weeks of these dates (keys.h: IsBuiltWhenRead). So other programs find the weeks
// of this server's own sales in Redis.
Task<void> RankingStore::BuildWeeksOfSoldOut() {
  std::vector<ScheduleId> schedules;
  {
    const std::lock_guard lock(sold_out_mutex_);
    schedules.swap(sold_out_);
  }
  if (!schedules.empty()) std::ignore = co_await reader_.RanksOfSchedules(std::move(schedules));
}

// Redis lost data if the change count went back; it may have if ranking_check_state.lua finds another server.
Task<void> RankingStore::CheckState() {
  const auto in_flight = context_.in_flight;
  const auto expected = changes_.load();
  const auto state = co_await ReadState();
  if (state.ok()) {
    context_.retention.RaisePrunedBefore(state->pruned_before);
    context_.rows.Follow(state->corrections);
    const bool lost = state->changes < expected;
    changes_ = state->changes;
    if (lost) {
      LogWarning("rankings: Redis lost data; rebuilding the boards from the database");
      std::ignore =
          co_await context_.client.Call(Command("HDEL").Key(context_.keys.State()).Word("complete"));
    }
    if (lost || !state->complete) {
      Lease builder(context_.client, context_.keys.Builder(), node_);
      const auto taken = co_await builder.Take(kBuilderLease);
      if (taken.ok() && *taken) {
        const auto rebuilt = co_await Rebuild();
        if (rebuilt.ok()) LogInfo("rankings: the boards in Redis are complete");
        std::ignore = co_await builder.Release();
      }
    }
  }
  co_await BuildWeeksOfSoldOut();
  in_flight->End();
}

}  // namespace maejin::redis
