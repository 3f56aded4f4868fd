// Maintenance of the embedded boards: import of history, rebuild, prune, reconciliation.
#include <algorithm>

#include "adapters/embedded/ranking_store.h"
#include "adapters/embedded/sold_out_rows.h"
#include "base/log.h"
#include "domain/ranking/import_ids.h"

namespace maejin::embedded {

// The ids of the history that are on the boards already.
SoldOutIds EmbeddedRankingStore::RankedIds(const SoldOutHistory& history) const {
  SoldOutIds ranked;
  const std::shared_lock lock(sold_outs_mutex_);
  const auto concert = history.concert.concert;
  if (sold_outs_->concerts.table().Find(concert)) ranked.concerts.insert(concert);
  for (const auto& date : history.schedules) {
    if (sold_outs_->schedules.table().Find(date.schedule)) ranked.schedules.insert(date.schedule);
  }
  return ranked;
}

// Assigns missing ids to the history, and reserves all of them.
Imported EmbeddedRankingStore::TakeIds(SoldOutHistory& history) {
  AssignIds(history);
  auto result = RankedIds(history).Find(history);
  if (result == Imported::kNew) result = importing_.Find(history);
  if (result == Imported::kNew && reserve_ids_)
    result = reserve_ids_(history.concert.concert, history.schedules);
  if (result == Imported::kNew) importing_.Add(history);
  return result;
}

Task<Outcome<std::vector<Imported>>> EmbeddedRankingStore::Import(std::vector<SoldOutHistory> histories) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  std::vector<Imported> imported;
  std::vector<BookingEvent> events;
  Ticket ticket = 0;
  {
    const std::lock_guard import_lock(import_mutex_);
    WriteSet rows;
    for (auto& history : histories) {
      imported.push_back(TakeIds(history));
      if (imported.back() != Imported::kNew) continue;
      AddSoldOutRow(rows, history.concert);
      for (auto& schedule : history.schedules) AddSoldOutRow(rows, schedule);
      events.push_back({0, std::move(history.concert)});
      for (auto& schedule : history.schedules) events.push_back({0, schedule});
    }
    ticket = journal_.Append(rows, events);
  }
  const auto committed = co_await journal_.Committed(ticket);
  const std::lock_guard import_lock(import_mutex_);
  for (const auto& event : events) {
    if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact))
      importing_.concerts.erase(concert->concert);
    if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact))
      importing_.schedules.erase(schedule->schedule);
  }
  if (!committed) co_return committed.error();
  co_return imported;
}

// Runs on the reader thread.
void EmbeddedRankingStore::RebuildNow() {
  Time now;
  Date pruned_before;
  {
    const std::unique_lock lock(sold_outs_mutex_);
    rebuilding_ = true;
    now = now_;
    pruned_before = pruned_before_;
  }
  auto fresh = LoadSoldOuts(now, pruned_before);
  {
    const std::unique_lock lock(sold_outs_mutex_);
    for (const auto& sold_out : concerts_since_) fresh->concerts.Add(sold_out);
    for (const auto& sold_out : schedules_since_) fresh->schedules.Add(sold_out);
    fresh->concerts.Tick(now_);
    fresh->schedules.Tick(now_);
    fresh->concerts.Prune(pruned_before_);
    fresh->schedules.Prune(pruned_before_);
    std::swap(sold_outs_, fresh);
    rebuilding_ = false;
    concerts_since_.clear();
    schedules_since_.clear();
    sold_outs_version_.fetch_add(1, std::memory_order_release);
  }
}

Task<Outcome<Done>> EmbeddedRankingStore::Rebuild() {
  try {
    const auto rebuild = [this] {
      RebuildNow();
      CompareProgress();
      return Done{};
    };
    co_await OnReaderThread(rebuild);
  } catch (const SqliteError& error) {
    LogError("rankings: cannot rebuild: {}", error.what());
    co_return Refusal::kUnavailable;
  }
  co_return Done{};
}

Task<Outcome<PruneReport>> EmbeddedRankingStore::Prune(Date before) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  PruneReport report;
  Ticket ticket = 0;
  {
    const std::unique_lock lock(sold_outs_mutex_);
    pruned_before_ = std::max(pruned_before_, before);
    const auto concerts = sold_outs_->concerts.Prune(before);
    const auto schedules = sold_outs_->schedules.Prune(before);
    report = {concerts.boards + schedules.boards, concerts.rows + schedules.rows};
    WriteSet rows;
    AddPrunedBefore(rows, pruned_before_);
    ticket = journal_.Append(rows);
  }
  const auto committed = co_await journal_.Committed(ticket);
  if (!committed) co_return committed.error();
  co_return report;
}

Task<Outcome<ReconcileReport>> EmbeddedRankingStore::Reconcile() {
  try {
    const auto compare = [this] { return CompareNextPart(); };
    auto report = co_await OnReaderThread(compare);
    co_return report;
  } catch (const SqliteError& error) {
    LogError("rankings: cannot reconcile: {}", error.what());
    co_return Refusal::kUnavailable;
  }
}

// Runs on the reader thread.
ReconcileReport EmbeddedRankingStore::CompareNextPart() {
  ReconcileReport report;
  std::vector<ConcertSoldOut> concerts;
  std::vector<ScheduleSoldOut> schedules;
  std::int64_t wrong = 0;
  // Only this thread replaces sold_outs_, so it reads the pointer without the lock. The boards behind it need
  // the lock.
  const auto check = [&](const auto& boards, const auto& sold_out, std::int64_t id, auto& missing) {
    const std::shared_lock lock(sold_outs_mutex_);
    ++report.checked;
    const auto row = boards.table().Find(id);
    if (!row) {
      missing.push_back(sold_out);
    } else if (!boards.table().Equals(*row, sold_out) || !boards.IsRanked(*row)) {
      ++wrong;
    }
  };
  auto last = next_concert_;
  reader_->ConcertsAfter(next_concert_, kReconciledRows, [&](const ConcertSoldOut& sold_out) {
    last = sold_out.concert;
    check(sold_outs_->concerts, sold_out, sold_out.concert, concerts);
  });
  next_concert_ = report.checked < kReconciledRows ? INT64_MIN : last;
  const auto concerts_checked = report.checked;
  last = next_schedule_;
  reader_->SchedulesAfter(next_schedule_, kReconciledRows, [&](const ScheduleSoldOut& sold_out) {
    last = sold_out.schedule;
    check(sold_outs_->schedules, sold_out, sold_out.schedule, schedules);
  });
  next_schedule_ = report.checked - concerts_checked < kReconciledRows ? INT64_MIN : last;
  // Waits until the listener has applied every committed event. A row that is missing afterwards is drift.
  journal_.BetweenCommits([] {});
  report.drift = static_cast<std::int64_t>(AddAll(concerts, schedules)) + wrong + RebuildIfWrong(wrong) +
                 CompareProgress();
  drift_.fetch_add(static_cast<std::uint64_t>(report.drift), std::memory_order_relaxed);
  if (report.drift > 0)
    LogWarning("rankings: {} rows had drifted from the database and were repaired", report.drift);
  return report;
}

// Runs on the reader thread. Loads the progress boards from a snapshot between two commits, when memory and
// database must agree. Later changes are collected in progress_since_.
ProgressBoards EmbeddedRankingStore::LoadProgressOfNow() {
  Time now;
  {
    const std::shared_lock lock(sold_outs_mutex_);
    now = now_;
  }
  const auto begin = [this] {
    reader_->Pin();
    const std::unique_lock lock(progress_mutex_);
    comparing_progress_ = true;
    progress_since_.clear();
  };
  if (!journal_.BetweenCommits(begin)) throw SqliteError(0, "the program ends");
  // Also unpins if the read throws.
  const std::unique_ptr<SoldOutReader, void (*)(SoldOutReader*)> pinned(
      reader_.get(), [](SoldOutReader* reader) { reader->Unpin(); });
  return LoadProgress(now);
}

// Runs on the reader thread. Repairs the progress boards while seats change, and returns the number of
// differences.
std::int64_t EmbeddedRankingStore::CompareProgress() {
  auto fresh = LoadProgressOfNow();
  const std::unique_lock lock(progress_mutex_);
  comparing_progress_ = false;
  for (const auto& change : progress_since_) fresh.Change(change);
  const auto differences = progress_.DifferencesFrom(fresh);
  if (differences == 0) return 0;
  progress_ = std::move(fresh);
  progress_version_.fetch_add(1, std::memory_order_release);
  return differences;
}

// Rebuilds the boards if rows are wrong or superfluous. Returns the number of superfluous rows.
std::int64_t EmbeddedRankingStore::RebuildIfWrong(std::int64_t wrong) {
  const auto extra = ExtraRows();
  if (wrong > 0 || extra > 0) RebuildNow();
  return extra;
}

// The number of rows in memory beyond the ranked rows of the database. Such rows are wrong, and a rebuild
// removes them.
std::int64_t EmbeddedRankingStore::ExtraRows() {
  std::int64_t concerts = 0;
  std::int64_t schedules = 0;
  {
    const std::shared_lock lock(sold_outs_mutex_);
    concerts = static_cast<std::int64_t>(sold_outs_->concerts.table().size());
    schedules = static_cast<std::int64_t>(sold_outs_->schedules.table().size());
  }
  const auto on_disk = reader_->Count();
  return std::max<std::int64_t>(concerts - on_disk.concerts, 0) +
         std::max<std::int64_t>(schedules - on_disk.schedules, 0);
}

}  // namespace maejin::embedded
