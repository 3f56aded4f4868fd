// Compares the sold-out boards in Redis with the database and repairs the differences, in both directions:
// rows that a board lacks or scores wrongly, and members that the database does not have.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "adapters/redis/ranking/context.h"
#include "adapters/redis/ranking/sold_out_writer.h"

namespace maejin::redis {

// Thread-safe. Every call may refuse with kUnavailable.
class SoldOutRepair {
 public:
  // Both outlive it.
  SoldOutRepair(RankingContext& context, SoldOutWriter& writer) : context_(context), writer_(writer) {}

  // Repairs all boards.
  Task<Outcome<Done>> RepairAll();
  // Repairs the next rows, about five thousand of each kind in each direction; after the last row it starts
  // again.
  Task<Outcome<ReconcileReport>> RepairNext();
  // Every sold-out board that Redis keeps, or that another program may have created.
  Task<Outcome<std::vector<BoardWindow>>> KeptWindows(BoardSource source);

 private:
  // From the database to the boards, in the order of ids.
  struct RowPass {
    std::int64_t after = INT64_MIN;
    std::int64_t checked = 0;
    std::int64_t drift = 0;
    bool ended = false;
  };
  // From the boards to the database, board by board.
  struct MemberPass {
    std::optional<BoardWindow> board = {};  // absent: before the first
    std::string cursor = "0";
    std::int64_t checked = 0;
    std::int64_t drift = 0;
    bool ended = false;
  };
  struct Passes {
    RowPass rows;
    MemberPass members;
  };

  template <class SoldOut>
  Task<Outcome<RowPass>> RepairRows(RowPass pass, std::int64_t limit);
  template <class SoldOut>
  Task<Outcome<MemberPass>> RemoveForeign(MemberPass pass, std::int64_t limit);
  // One page of a board. Returns the cursor of the next page.
  template <class SoldOut>
  Task<Outcome<MemberPass>> RemoveForeignFrom(BoardWindow board, MemberPass pass);
  template <class SoldOut>
  Task<Outcome<Passes>> Repair(Passes from, std::int64_t limit);
  template <class SoldOut>
  Task<Outcome<ReconcileReport>> RepairNextOf(Passes SoldOutRepair::* which);

  RankingContext& context_;
  SoldOutWriter& writer_;
  std::mutex mutex_;
  Passes concerts_;   // guarded by mutex_: where RepairNext() goes on
  Passes schedules_;  // guarded by mutex_
};

}  // namespace maejin::redis
