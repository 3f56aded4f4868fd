// Keeps the time of a node from going back across restarts. A durable mark stores a recent time of the clock;
// a node whose clock is behind the mark at its start continues after it.
#pragma once

#include <functional>
#include <optional>

#include "base/forward_clock.h"
#include "base/metrics.h"
#include "base/ticker.h"

namespace maejin::app {

class TimeKeeper {
 public:
  // How often the mark is written. A clock behind the mark continues from the mark plus this interval,
  // because the last run may have shown times after its last mark.
  static constexpr Seconds kMarkEvery{5};

  // `source` and `metrics` outlive it.
  TimeKeeper(const Clock& source, Metrics& metrics);

  const Clock& clock() const { return clock_; }
  // Call once, before the clock is used. `mark` is the newest stored one; absent: there is none.
  void Resume(std::optional<Time> mark);
  // Writes the mark from now on, until Stop(). `write` may block.
  void Start(std::function<void(Time)> write);
  void Stop() { ticker_.reset(); }

 private:
  ForwardClock clock_;
  Time next_mark_{};  // ticker thread only
  std::optional<Ticker> ticker_;
};

}  // namespace maejin::app
