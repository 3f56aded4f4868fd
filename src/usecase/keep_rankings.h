// Maintenance of the rankings: import, rebuild, prune, reconcile. The audit log has the operator's actions.
#pragma once

#include "base/clock.h"
#include "store/audit_store.h"
#include "store/ranking_store.h"
#include "store/sold_out_corrections.h"
#include "usecase/import_soldouts.h"

namespace maejin {

// Thread-safe. The references outlive it.
class KeepRankings {
 public:
  KeepRankings(RankingStore& store, SoldOutCorrections& corrections, AuditStore& audit, const Clock& clock)
      : store_(store), corrections_(corrections), audit_(audit), clock_(clock) {}

  ImportSoldOuts StartImport() { return {store_, clock_}; }
  // Writes the audit row of an import. Call after its end, also if it failed: a failed import may have
  // written some rows.
  Task<Outcome<Done>> RecordImport(ImportReport report, bool complete, std::string actor);
  // Rebuilds every board from the database. The old boards answer reads until the new ones are complete.
  Task<Outcome<Done>> Rebuild(std::string actor);
  // Drops the boards of windows that ended before `before`; the database still answers queries about them.
  Task<Outcome<PruneReport>> Prune(Date before, std::string actor);
  // Takes a sell-out off every board. Refuses: kNotRanked.
  Task<Outcome<Done>> Remove(ConcertId concert, std::string actor);
  // Corrects an imported sell-out. Refuses: kInvalidField (HistoryError), kNotRanked.
  Task<Outcome<Done>> Correct(SoldOutHistory history, std::string actor);
  // Compares the next rows of the boards with the database and repairs differences.
  Task<Outcome<ReconcileReport>> Reconcile() { return store_.Reconcile(); }

 private:
  Task<Outcome<Done>> Record(std::string actor, std::string action, std::string subject, std::string detail);

  RankingStore& store_;
  SoldOutCorrections& corrections_;
  AuditStore& audit_;
  const Clock& clock_;
};

}  // namespace maejin
