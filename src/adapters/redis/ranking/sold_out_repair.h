// Compares the sold-out boards in Redis with the database and repairs the differences.
//
// The database never deletes a sold-out: the boards are right when they hold exactly its rows.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_set>

#include "adapters/redis/ranking/context.h"
#include "adapters/redis/ranking/sold_out_writer.h"

namespace maejin::redis {

// Thread-safe. Every call refuses with kUnavailable.
class SoldOutRepair {
 public:
  // Both outlive it.
  SoldOutRepair(RankingContext& context, SoldOutWriter& writer) : context_(context), writer_(writer) {}

  // Repairs all boards, and removes rows that the database does not have.
  Task<Outcome<Done>> RepairAll();
  // Repairs the next rows, about five thousand of each kind; after the last row it starts again.
  Task<Outcome<ReconcileReport>> RepairNext();

 private:
  // Progress of one pass over the database, in the order of ids.
  struct Pass {
    std::int64_t after = INT64_MIN;
    std::int64_t checked = 0;
    std::int64_t drift = 0;
    bool ended = false;
  };
  using Ids = std::unordered_set<std::int64_t>;

  // Repairs one batch of rows; adds their ids to `seen` unless that is null.
  template <class SoldOut>
  Task<Outcome<Pass>> RepairBatch(Pass pass, std::shared_ptr<Ids> seen);
  template <class SoldOut>
  Task<Outcome<Pass>> RepairSome(Pass pass);
  template <class SoldOut>
  Task<Outcome<Done>> RepairKind();
  template <class SoldOut>
  Task<Outcome<Done>> RemoveExtras(std::shared_ptr<const Ids> known);

  RankingContext& context_;
  SoldOutWriter& writer_;
  std::mutex mutex_;
  Pass concerts_;   // guarded by mutex_: where RepairNext() goes on
  Pass schedules_;  // guarded by mutex_
};

}  // namespace maejin::redis
