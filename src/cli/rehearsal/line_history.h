// The history of one line as its fans saw it, and a checker for the invariants I3, I4 and I10. It shares no
// code with the server. Times are those of the clients: when a request was sent, when its answer arrived.
#pragma once

#include <chrono>
#include <vector>

namespace maejin::cli {

using HistoryClock = std::chrono::steady_clock;
using Moment = HistoryClock::time_point;
inline constexpr Moment kNever = Moment::max();

struct PollSeen {
  Moment sent;
  bool waiting;
  long rank;          // -1: no rank in the answer
  Moment answered{};  // needed only with NoSeats
};

struct FanHistory {
  long number = 0;
  Moment join_sent{};
  Moment join_answered{};
  std::vector<PollSeen> polls;
  Moment first_ready = kNever;   // when the first answer with a turn or a slot arrived
  std::vector<Moment> readies;   // the same for later answers, until the fan was inside
  Moment entered = kNever;       // when the first answer that the fan is inside arrived
  Moment left = kNever;          // from then on the fan does not count as inside
  Moment absent_from = kNever;   // from then on the server may count the fan as absent
  std::vector<Moment> returned;  // when polls after an absence were sent
};

// A time in which seats may have run out: turns then end, and begin again in order once a seat returns.
struct NoSeats {
  Moment from;
  Moment until;
};

struct LineVerdict {
  int join_order_violations = 0;       // I4: a fan that joined later got a lower number
  int admission_order_violations = 0;  // I4: a poll said "waiting" after a later fan was ready
  int rank_increases = 0;              // I10
  int most_inside = 0;                 // I3: a lower bound
  int duplicate_numbers = 0;
  // How much was compared.
  int fans_followed = 0;   // fans with at least one poll while present
  int polls_compared = 0;  // polls whose violation would be detected
  int positions_compared = 0;
};

// `fans`: one for every place of one line, in any order. `no_seats`: in any order. An admission is compared
// only with admissions of the same time with seats, because turns end when seats run out.
LineVerdict CheckLine(std::vector<FanHistory> fans, std::vector<NoSeats> no_seats = {});

}  // namespace maejin::cli
