// Keys, members and scores of the boards in Redis (docs/redis-keys.md).
//
// A score is a double and cannot represent every order. Each board therefore has an exact set beside it: all
// scores are 0, and the members are texts that sort as domain/ranking/sold_out_order.h compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ranking/board.h"
#include "domain/ranking/ranking.h"

namespace maejin::redis {

// In a cluster every key begins with the hash tag "{ranking}:", because one script changes several boards.
class RankingKeys {
 public:
  explicit RankingKeys(bool cluster) : prefix_(cluster ? "{ranking}:" : "") {}

  std::string Board(const BoardWindow& board) const {
    return prefix_ + KeyOf(BoardOf(board.board), board.window);
  }
  std::string Exact(const BoardWindow& board) const { return Named("exact:", board); }
  // Where a rebuild writes before it replaces the board and its exact set.
  std::string Staged(const BoardWindow& board) const { return Named("staged:", board); }
  std::string StagedExact(const BoardWindow& board) const { return Named("staged:exact:", board); }

  std::string State() const { return prefix_ + "ranking:state"; }
  // The database that the boards belong to, where nodes do not share one.
  std::string Owner() const { return prefix_ + "ranking:owner"; }
  std::string Windows() const { return prefix_ + "ranking:windows"; }
  // Sold-out concerts, or schedules: id → PackDetail().
  std::string Details(BoardSource source) const {
    return prefix_ + (source == BoardSource::kSoldOutConcerts ? "ranking:concerts" : "ranking:schedules");
  }
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
// The member of the exact set: sorts bytewise as Compare() orders; ends with '|' and the id.
std::string ExactOrder(const Board& board, const SoldOutKey& key);

// A row of a progress board. ProgressSort() orders rows of equal counts; ProgressOrder() is the member of the
// exact set, and ParseProgressOrder() reads it back.
std::string ProgressMember(const Board& board, const ProgressChanged& change);
std::string ProgressSort(const Board& board, std::string_view member);
std::string ProgressOrder(const Board& board, std::string_view member, std::int64_t reserved);
struct ProgressRow {
  std::string member;
  std::int64_t reserved = 0;
};
std::optional<ProgressRow> ParseProgressOrder(std::string_view order);

// A value of the details hashes: numbers and text lengths, then the texts.
std::string PackDetail(const ConcertSoldOut& sold_out);
std::string PackDetail(const ScheduleSoldOut& sold_out);
// Absent: the text is not a PackDetail().
std::optional<ConcertSoldOut> UnpackConcert(std::string_view detail);
std::optional<ScheduleSoldOut> UnpackSchedule(std::string_view detail);

// A window's name in ranking:windows, and back: "7:2025-01-01".
std::string WindowName(const BoardWindow& board);
std::optional<BoardWindow> ParseWindowName(std::string_view name);

}  // namespace maejin::redis
