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
  // Repairs the next rows, about five thousand of each kind in each direction. After the last row it starts
  // with the first.
  Task<Outcome<ReconcileReport>> RepairNext();
  // Every sold-out board that Redis keeps, or that another program may have created.
  Task<Outcome<std::vector<BoardWindow>>> KeptWindows(BoardSource source);

 private:
  // A pass over the rows of the database, in the order of ids: the boards must have each row.
  struct RowPass {
    std::int64_t after = INT64_MIN;
    std::int64_t checked = 0;
    std::int64_t drift = 0;
    bool ended = false;
  };
  // A pass over the members of the boards, board by board: the database must have each member.
  struct MemberPass {
    std::optional<BoardWindow> board = {};  // absent: before the first board
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
  // Handles one page of a board. The result has the cursor of the next page.
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
