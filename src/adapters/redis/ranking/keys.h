// Keys, members and scores of the boards in Redis (docs/redis-keys.md).
//
// A score is a double and cannot represent every order. The reader settles groups of equal scores with
// domain/ranking/sold_out_order.h. Progress boards have an exact set beside them while they are read: all
// scores are 0, and the members are texts that sort in the order of the board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ranking/board.h"
#include "domain/ranking/ranking.h"

namespace maejin::redis {

// Redis keeps these boards from their first read on. The weeks of dates are an extension of requirement 002,
// and most of them are never read.
inline bool IsBuiltWhenRead(BoardId board) { return board == BoardId::kSchedulesWeekly; }

// In a cluster every key begins with the hash tag "{ranking}:", because one script changes several boards.
class RankingKeys {
 public:
  explicit RankingKeys(bool cluster) : prefix_(cluster ? "{ranking}:" : "") {}

  std::string Board(const BoardWindow& board) const {
    return prefix_ + KeyOf(BoardOf(board.board), board.window);
  }
  // The field of the state that tells whether the board is built; empty: it always is.
  static std::string BuiltField(const BoardWindow& board);
  // Only for progress boards.
  std::string Exact(const BoardWindow& board) const { return Named("exact:", board); }
  // Where a rebuild writes before it replaces a progress board, and a builder its rows.
  std::string Staged(const BoardWindow& board) const { return Named("staged:", board); }

  std::string State() const { return prefix_ + "ranking:state"; }
  // The database that the boards belong to, where nodes do not share one.
  std::string Owner() const { return prefix_ + "ranking:owner"; }
  std::string Windows() const { return prefix_ + "ranking:windows"; }
  // Keys of earlier versions, which a rebuild removes.
  std::string OldConcerts() const { return prefix_ + "ranking:concerts"; }
  std::string OldSchedules() const { return prefix_ + "ranking:schedules"; }
  // Schedules with reserved seats: id → date.
  std::string Dates() const { return prefix_ + "ranking:schedule-dates"; }
  std::string Applied() const { return prefix_ + "ranking:applied"; }
  std::string Fence() const { return prefix_ + "ranking:fence"; }
  std::string Builder() const { return prefix_ + "ranking:builder"; }
  // The pub/sub channel that announces ranked sold-outs to the other nodes.
  std::string Movements() const { return "ranking:movements"; }

 private:
  std::string Named(const char* kind, const BoardWindow& board) const {
    return prefix_ + kind + KeyOf(BoardOf(board.board), board.window);
  }

  std::string prefix_;
};

// Member and score on the board itself.
std::string MemberOf(const Board& board, std::int64_t id);
std::string ScoreOf(const Board& board, const SoldOutKey& key);
// The id of a member; absent: no member of such a board.
std::optional<std::int64_t> IdOfMember(const Board& board, std::string_view member);

// A row of a progress board. ProgressSort() orders rows of equal counts; ParseProgressOrder() reads a member
// of the exact set (scripts/ranking_progress_read.lua).
std::string ProgressMember(const Board& board, const ProgressChanged& change);
std::string ProgressSort(const Board& board, std::string_view member);
struct ProgressRow {
  std::string member;
  std::int64_t reserved = 0;
};
std::optional<ProgressRow> ParseProgressOrder(std::string_view order);

// A window's name in ranking:windows, and back: "7:2025-01-01".
std::string WindowName(const BoardWindow& board);
std::optional<BoardWindow> ParseWindowName(std::string_view name);

}  // namespace maejin::redis
