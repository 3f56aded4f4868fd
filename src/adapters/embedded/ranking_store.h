// The rankings in memory over the sold-out rows of the database. They are loaded at the start. The journal's
// events change them before a payment is answered, so that the next read contains the sell-out.
#pragma once

#include "adapters/embedded/imported_ids.h"
#include "adapters/embedded/ranking_reads.h"

namespace maejin::embedded {

class EmbeddedRankingStore final : public RankingReads {
 public:
  // Loads everything. Throws SqliteError. The journal outlives the store. The caller passes a listener that
  // calls Applied() to Journal::Listen().
  EmbeddedRankingStore(Journal& journal, Options options) : RankingReads(journal, std::move(options)) {}
  ~EmbeddedRankingStore() override { reader_thread_.join(); }

  // Called by the journal's listener after the rows of `events` are on disk.
  void Applied(std::span<const BookingEvent> events);

  Task<Outcome<Done>> Apply(std::vector<BookingEvent> events) override;
  // Nothing to do: events are applied before the payment is answered.
  Task<void> RankCommitted(ScheduleId, ConcertId) override { co_return; }
  Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) override;
  Task<Outcome<Done>> Rebuild() override;
  Task<Outcome<PruneReport>> Prune(Date before) override;
  Task<Outcome<ReconcileReport>> Reconcile() override;
  void Tick(Time now) override;
  std::optional<RankingVersions> VersionsAtOnce() const override;
  void OnMovement(std::function<void(const RankingMovement&)> listener) override;

  // Sets the function that reserves the ids of imported concerts. Call before the first import.
  void ReserveIdsWith(ReserveIds reserve_ids) { reserve_ids_ = std::move(reserve_ids); }

 private:
  SoldOutIds RankedIds(const SoldOutHistory& history) const;
  Imported TakeIds(SoldOutHistory& history);
  void RebuildNow();
  ReconcileReport CompareNextPart();
  std::int64_t RebuildIfWrong(std::int64_t wrong);
  std::int64_t CompareProgress();
  ProgressBoards LoadProgressOfNow();
  std::int64_t ExtraRows();
};

}  // namespace maejin::embedded
