// What the fans of one line saw, written down by themselves, and a checker that knows nothing of the server: the
// invariants I3, I4 and I10 over the whole history. Times are the clients': an answer's arrival, a request's departure.
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
  long rank;  // -1: was told none
};

struct FanHistory {
  long number = 0;
  Moment join_sent{};
  Moment join_answered{};
  std::vector<PollSeen> polls;
  Moment first_ready = kNever;   // the answer that said so
  Moment entered = kNever;       // answered
  Moment left = kNever;          // sent
  Moment absent_from = kNever;   // from here on the server may have taken it for absent
  std::vector<Moment> returned;  // sent: polls after an absence
};

struct LineVerdict {
  int overtaken_at_the_door = 0;  // I4: a lower number for somebody who asked after this one had its answer
  int overtaken_in_line = 0;      // I4: told to wait although somebody who came later was ready before
  int rises = 0;                  // I10
  int most_inside = 0;            // I3: as far as the fans know
  int numbers_given_twice = 0;
  // How much the verdict rests on.
  int fans_followed = 0;   // who polled at least once while present
  int polls_compared = 0;  // polls of which a wrong answer would have been seen
  int positions_compared = 0;
};

// `fans`: one for every place of one line, in any order.
LineVerdict CheckLine(std::vector<FanHistory> fans);

}  // namespace maejin::cli
