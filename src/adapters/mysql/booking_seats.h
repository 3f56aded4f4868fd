// The guarded statements that move seats between states and keep their counts.
#pragma once

#include <optional>
#include <vector>

#include "adapters/mysql/booking_mirror.h"
#include "adapters/mysql/connection.h"

namespace maejin::mysql {

struct SeatMove {
  ScheduleId schedule = 0;
  std::vector<SeatNumber> seats;  // ascending
  SeatState from = SeatState::kAvailable;
  SeatState to = SeatState::kHeld;
  // The reservations that have the seats before and after; absent: none.
  std::optional<std::int64_t> owner_before;
  std::optional<std::int64_t> owner_after;
};

// Moves the seats that are in state `move.from` and belong to `move.owner_before`, with one statement.
// Returns their number. If it is too low, the caller rolls back.
std::int64_t MoveSeats(Connection& connection, const SeatMove& move);

// The maximum of placeholders per statement; larger moves write their numbers into the text.
inline constexpr std::size_t kMaxPlaceholders = 64;
// Takes AVAILABLE seats of one date for several reservations with one statement. `seats` is ascending and has
// at most kMaxPlaceholders elements. Returns the number of seats taken. If it is too low, the caller rolls
// back.
struct SeatFor {
  SeatNumber seat = 0;
  std::int64_t reservation = 0;
};
std::int64_t HoldSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatFor>& seats);
// Assigns HELD seats of these reservations. Returns the number of assigned seats; if it is too low, the
// caller rolls back.
std::int64_t AssignSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats,
                         const std::vector<std::int64_t>& reservations);

// Frees the seats of these reservations that are in state `from`; any number of seats.
std::int64_t FreeSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats,
                       SeatState from, const std::vector<std::int64_t>& reservations);

// The result of counting a move.
struct Counted {
  SeatsMoved moved;
  // True: the move paid the last seat of its schedule or of its concert.
  bool schedule_sold_out = false;
  bool concert_sold_out = false;
};

// Counts a move in the rows of its shards. The rows of the schedule and the concert change only if a shard
// loses its last unpaid seat, or gets one again. Only a payment sells out: blocking the last seat does not.
// `paid_at`: the time of a payment. Absent: the move is a hold of a closed date; the caller rolls back.
std::optional<Counted> CountMove(Connection& connection, ConcertId concert, const SeatMove& move,
                                 std::optional<Time> paid_at);

// CountMove() in two steps, for moves of several dates: the shards of all dates first, then schedules and
// concerts.
struct ShardsCounted {
  SeatsMoved moved;
  std::int64_t opened = 0;  // shards that got an unpaid seat again, minus shards that lost their last one
};
std::optional<ShardsCounted> CountShards(Connection& connection, const SeatMove& move,
                                         std::optional<Time> paid_at);
Counted CountOpened(Connection& connection, ConcertId concert, const SeatMove& move, ShardsCounted shards);

// Whether a shard of these seats is closed for holds. Locks the rows.
bool IsClosed(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats);

// The latest payment of a schedule or concert, committed or of this transaction.
std::optional<Time> LastPaidOfSchedule(Connection& connection, ScheduleId schedule);
std::optional<Time> LastPaidOfConcert(Connection& connection, ConcertId concert);

}  // namespace maejin::mysql
