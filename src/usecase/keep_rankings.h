// Maintenance of the rankings: import, rebuild, prune, reconcile.
#pragma once

#include "base/clock.h"
#include "store/ranking_store.h"
#include "usecase/import_soldouts.h"

namespace maejin {

// Thread-safe.
class KeepRankings {
 public:
  KeepRankings(RankingStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  ImportSoldOuts StartImport() { return {store_, clock_}; }
  // Rebuilds every board from the database; the old boards serve meanwhile.
  Task<Outcome<Done>> Rebuild() { return store_.Rebuild(); }
  // Drops the boards of windows that ended before `before`; the database still answers queries about them.
  Task<Outcome<PruneReport>> Prune(Date before) { return store_.Prune(before); }
  // Compares the next section of the boards with the database and repairs differences.
  Task<Outcome<ReconcileReport>> Reconcile() { return store_.Reconcile(); }

 private:
  RankingStore& store_;
  const Clock& clock_;
};

}  // namespace maejin
