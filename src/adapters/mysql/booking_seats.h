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
  // Who has the seats before and after; absent: nobody.
  std::optional<std::int64_t> owner_before;
  std::optional<std::int64_t> owner_after;
};

// One statement; takes the seats that are as `move` says and returns how many these were. Fewer than asked:
// the caller rolls back.
std::int64_t MoveSeats(Connection& connection, const SeatMove& move);

// What the counts say after a move.
struct Counted {
  SeatsMoved moved;
  // The move left no unpaid seat in its schedule, in its concert.
  bool schedule_sold_out = false;
  bool concert_sold_out = false;
};

// Counts a move in the rows of its groups of seats; only a move that leaves no unpaid seat in a group, or the first
// one again, goes on to the schedule and the concert. A payment alone sells out: blocking the last seat does not.
// `paid_at`: the time of a payment. Absent: the date takes no more holds, and this is one; the caller rolls back.
std::optional<Counted> CountMove(Connection& connection, ConcertId concert, const SeatMove& move,
                                 std::optional<Time> paid_at);

// Whether a group of these seats takes no more holds; its rows stay locked.
bool IsClosed(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats);

// The latest payment of a schedule, of a concert, that is committed or of this transaction.
std::optional<Time> LastPaidOfSchedule(Connection& connection, ScheduleId schedule);
std::optional<Time> LastPaidOfConcert(Connection& connection, ConcertId concert);

}  // namespace maejin::mysql
