// What operators and the scheduler do to the rankings: import, rebuild, prune, reconcile.
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
  // Every board anew from the database, while the old ones serve.
  Task<Outcome<Done>> Rebuild() { return store_.Rebuild(); }
  // Drops the boards of windows that ended before `before`; the database still answers for them.
  Task<Outcome<PruneReport>> Prune(Date before) { return store_.Prune(before); }
  // Compares the next part of the boards with the database and repairs what differs.
  Task<Outcome<ReconcileReport>> Reconcile() { return store_.Reconcile(); }

 private:
  RankingStore& store_;
  const Clock& clock_;
};

}  // namespace maejin
