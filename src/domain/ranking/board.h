// All boards in one table. Every store reads the table, so a new board needs only a new row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/ranking/sold_out_order.h"
#include "domain/ranking/window.h"

namespace maejin {

enum class BoardId : std::uint8_t {
  kComposite,
  kConcertsDaily,
  kConcertsWeekly,
  kConcertsMonthly,
  kConcertsAll,
  kSchedulesDaily,
  kSchedulesWeekly,
  kSchedulesMonthly,
  kProgressAll,
  kProgressDaily,
  kProgressWeekly,
  kProgressSchedules,
};
inline constexpr std::size_t kBoardCount = 12;

// What the board is a projection of.
enum class BoardSource : std::uint8_t { kSoldOutConcerts, kSoldOutSchedules, kProgress };
// The member of an entry in a sorted set.
enum class BoardMember : std::uint8_t {
  kConcertId,    // 42
  kSchedule,     // schedule:42
  kConcertDate,  // 2025-10-31
  kScheduleId,   // 42
};
enum class BoardScore : std::uint8_t { kMillis, kSeconds, kComposite, kSeats };
enum class BoardOrder : std::uint8_t {
  kShortestFirst,  // sold_out_order.h
  kMostFirst,      // more seats, then the smaller member
};

struct Board {
  BoardId id;
  BoardSource source;
  // A sold-out is on the board of the window in which the last seat was paid, progress on that of the hold.
  WindowKind window;
  // The key is this and the window's text: "concert:soldout:ranking:daily:" + "20251031".
  std::string_view key_prefix;
  WindowText key_text;
  BoardMember member;
  BoardScore score;
  BoardOrder order;
  DurationUnit unit;
  // The maximum number of entries; 0: unlimited. A trim never splits a group of equal scores.
  std::size_t cap;
  // How long a window is kept after its end; absent: until it is pruned.
  std::optional<std::chrono::days> retention;
};

// In the order of BoardId.
std::span<const Board, kBoardCount> Boards();
const Board& BoardOf(BoardId id);

// The board of concerts or schedules for a kind of window. Schedules have no board of all time.
BoardId ConcertBoard(WindowKind kind);
std::optional<BoardId> ScheduleBoard(WindowKind kind);

std::string KeyOf(const Board& board, const Window& window);

// The instant from which the window is no longer kept; absent: never.
std::optional<Time> ExpiryOf(const Board& board, const Window& window, const TimeZone& zone);

// Identifies one ranking: a board and one of its windows.
struct BoardWindow {
  BoardId board = BoardId::kConcertsAll;
  Window window;

  friend bool operator==(const BoardWindow&, const BoardWindow&) = default;
  friend auto operator<=>(const BoardWindow&, const BoardWindow&) = default;
};

}  // namespace maejin
