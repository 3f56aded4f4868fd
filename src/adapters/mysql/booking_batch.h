// Helpers for writing the reservations of several customers in one transaction. A pick is one customer of the
// batch; it has a member `reservation`.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "adapters/mysql/booking_seats.h"

namespace maejin::mysql {

// The picks by date, in the order in which dates are locked.
template <class Pick>
std::map<ScheduleId, std::vector<Pick*>> ByDate(std::vector<Pick>& picks) {
  std::map<ScheduleId, std::vector<Pick*>> dates;
  for (auto& pick : picks) dates[pick.reservation.schedule].push_back(&pick);
  return dates;
}

// Combines the seats of a date's picks into one move.
template <class Pick>
SeatMove MoveOf(ScheduleId schedule, const std::vector<Pick*>& picks, SeatState from, SeatState to) {
  SeatMove move{schedule, {}, from, to, {}, {}};
  for (const auto* pick : picks) {
    const auto& seats = pick->reservation.seats;
    move.seats.insert(move.seats.end(), seats.begin(), seats.end());
  }
  std::sort(move.seats.begin(), move.seats.end());
  return move;
}

// One reservation's share of a move: its own seats, and the versions of the shards after the whole move.
inline SeatsMoved ShareOf(const SeatsMoved& all, const Reservation& reservation) {
  return {all.schedule, reservation.seats, all.state, all.shards};
}

}  // namespace maejin::mysql
