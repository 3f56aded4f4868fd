// How rankings are written in Redis: the seeds' keys, members and scores, and beside every board the same rows
// in exact order. A score is a double and cannot tell every order; the twin's members are texts that sort as
// domain/ranking/sold_out_order.h compares, all of score 0. docs/redis-keys.md explains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ranking/board.h"
#include "domain/ranking/ranking.h"

namespace maejin::redis {

// In a cluster every key begins with the literal tag "{ranking}:", since all boards change together.
class RankingKeys {
 public:
  explicit RankingKeys(bool cluster) : prefix_(cluster ? "{ranking}:" : "") {}

  std::string Board(const BoardWindow& board) const {
    return prefix_ + KeyOf(BoardOf(board.board), board.window);
  }
  std::string Exact(const BoardWindow& board) const { return Named("exact:", board); }
  // Being made anew.
  std::string Staged(const BoardWindow& board) const { return Named("staged:", board); }
  std::string StagedExact(const BoardWindow& board) const { return Named("staged:exact:", board); }

  std::string State() const { return prefix_ + "ranking:state"; }
  // Which database they tell of, where nodes do not share one.
  std::string Owner() const { return prefix_ + "ranking:owner"; }
  std::string Windows() const { return prefix_ + "ranking:windows"; }
  // Of sold-out concerts, or schedules: id → what the answer needs.
  std::string Details(BoardSource source) const {
    return prefix_ + (source == BoardSource::kSoldOutConcerts ? "ranking:concerts" : "ranking:schedules");
  }
  // Of schedules with reserved seats: id → date.
  std::string Dates() const { return prefix_ + "ranking:schedule-dates"; }
  std::string Applied() const { return prefix_ + "ranking:applied"; }
  std::string Fence() const { return prefix_ + "ranking:fence"; }
  std::string Builder() const { return prefix_ + "ranking:builder"; }
  // Pub/sub: what was ranked, for the other nodes.
  std::string Movements() const { return "ranking:movements"; }

 private:
  std::string Named(const char* kind, const BoardWindow& board) const {
    return prefix_ + kind + KeyOf(BoardOf(board.board), board.window);
  }

  std::string prefix_;
};

// The member and score of the seeds' board.
std::string MemberOf(const Board& board, std::int64_t id);
std::string ScoreOf(const Board& board, const SoldOutKey& key);
// The member of the exact twin: sorts bytewise as Compare() orders; ends with '|' and the id.
std::string ExactOrder(const Board& board, const SoldOutKey& key);

// A progress row: what sorts equal counts, and the row read back from the twin's member.
std::string ProgressMember(const Board& board, const ProgressChanged& change);
std::string ProgressSort(const Board& board, std::string_view member);
std::string ProgressOrder(const Board& board, std::string_view member, std::int64_t reserved);
struct ProgressRow {
  std::string member;
  std::int64_t reserved = 0;
};
std::optional<ProgressRow> ParseProgressOrder(std::string_view order);

// What the details hashes keep: numbers, then texts with their lengths in front.
std::string PackDetail(const ConcertSoldOut& sold_out);
std::string PackDetail(const ScheduleSoldOut& sold_out);
// Absent where it is none of ours.
std::optional<ConcertSoldOut> UnpackConcert(std::string_view detail);
std::optional<ScheduleSoldOut> UnpackSchedule(std::string_view detail);

// A window's name in ranking:windows, and back: "7:2025-01-01".
std::string WindowName(const BoardWindow& board);
std::optional<BoardWindow> ParseWindowName(std::string_view name);

}  // namespace maejin::redis
