// Keys, members and scores of the boards in Redis (docs/redis-keys.md).
//
// A score is a double and cannot represent every order. The reader orders rows of equal scores with
// domain/ranking/sold_out_order.h. A progress board that is read gets an exact set, which expires some
// minutes after its last read. All its scores are 0, so Redis sorts its members as texts; these texts sort in
// the order of the board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ranking/board.h"
#include "domain/ranking/ranking.h"

namespace maejin::redis {

// Redis keeps these boards from their first read on. The weekly boards of schedules are an extension of
// requirement 002, and most of them are never read.
inline bool IsBuiltWhenRead(BoardId board) { return board == BoardId::kSchedulesWeekly; }

// In a cluster every key begins with the hash tag "{ranking}:", because one script changes several boards.
class RankingKeys {
 public:
  explicit RankingKeys(bool cluster) : prefix_(cluster ? "{ranking}:" : "") {}

  std::string Board(const BoardWindow& board) const {
    return prefix_ + KeyOf(BoardOf(board.board), board.window);
  }
  // The field of ranking:state that tells whether the board is built; empty: the board is always built.
  static std::string BuiltField(const BoardWindow& board);
  // Only for progress boards.
  std::string Exact(const BoardWindow& board) const { return Named("exact:", board); }
  // The key under which a rebuild writes a progress board before it replaces the old one. A BoardBuilder uses
  // it with a suffix.
  std::string Staged(const BoardWindow& board) const { return Named("staged:", board); }

  std::string State() const { return prefix_ + "ranking:state"; }
  // Names the database that the boards belong to, for back ends where each node has its own database.
  std::string Owner() const { return prefix_ + "ranking:owner"; }
  std::string Windows() const { return prefix_ + "ranking:windows"; }
  // Keys of earlier versions, which a rebuild removes.
  std::string OldConcerts() const { return prefix_ + "ranking:concerts"; }
  std::string OldSchedules() const { return prefix_ + "ranking:schedules"; }
  // The dates of the schedules with reserved seats, by id.
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
// The id of a member; absent: the text is no member of such a board.
std::optional<std::int64_t> IdOfMember(const Board& board, std::string_view member);

// ProgressMember(): the member of a progress board that the change belongs to. ProgressSort(): a text that
// orders members of equal counts. ParseProgressOrder(): the row that a member of the exact set stands for
// (scripts/ranking_progress_read.lua).
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
