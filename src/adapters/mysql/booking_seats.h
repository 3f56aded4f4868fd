// Moving seats from one state to another, and the counts that go with it: the guarded statements that decide.
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

// One statement; takes the seats that are as `move` says and returns how many these were. Fewer than asked:
// the caller rolls back.
std::int64_t MoveSeats(Connection& connection, const SeatMove& move);

// Most placeholders of one statement; moves of more seats write their numbers into the text.
inline constexpr std::size_t kMaxPlaceholders = 64;
// AVAILABLE seats of one date for several customers at once, each seat with the reservation that gets it,
// ascending and at most kMaxPlaceholders. One statement; returns how many it took. Fewer than asked: the
// caller rolls back.
struct SeatFor {
  SeatNumber seat = 0;
  std::int64_t reservation = 0;
};
std::int64_t HoldSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatFor>& seats);
// HELD seats of several customers become ASSIGNED, where they are these reservations'; as above.
std::int64_t AssignSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats,
                         const std::vector<std::int64_t>& reservations);

// Seats of these reservations become AVAILABLE, where they are in state `from`; any number of them.
std::int64_t FreeSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats,
                       SeatState from, const std::vector<std::int64_t>& reservations);

// What the counts say after a move.
struct Counted {
  SeatsMoved moved;
  // The move left no unpaid seat in its schedule, in its concert.
  bool schedule_sold_out = false;
  bool concert_sold_out = false;
};

// Counts a move in the rows of its groups of seats; only a move that leaves no unpaid seat in a group, or the
// first one again, goes on to the schedule and the concert. A payment alone sells out: blocking the last seat
// does not. `paid_at`: the time of a payment. Absent: the date takes no more holds, and this is one; the
// caller rolls back.
std::optional<Counted> CountMove(Connection& connection, ConcertId concert, const SeatMove& move,
                                 std::optional<Time> paid_at);

// The same in two steps, for moves of several dates: groups of all dates first, then what was opened or
// closed in them.
struct GroupsCounted {
  SeatsMoved moved;
  std::int64_t opened = 0;  // groups that have an unpaid seat again, less those that have none any more
};
std::optional<GroupsCounted> CountGroups(Connection& connection, const SeatMove& move,
                                         std::optional<Time> paid_at);
Counted CountOpened(Connection& connection, ConcertId concert, const SeatMove& move, GroupsCounted groups);

// Whether a group of these seats takes no more holds; its rows stay locked.
bool IsClosed(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats);

// The latest payment of a schedule, of a concert, that is committed or of this transaction.
std::optional<Time> LastPaidOfSchedule(Connection& connection, ScheduleId schedule);
std::optional<Time> LastPaidOfConcert(Connection& connection, ConcertId concert);

}  // namespace maejin::mysql
