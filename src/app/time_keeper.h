// Keeps the back end's time going forward across restarts: a durable mark says that no earlier time is shown.
#pragma once

#include <functional>
#include <optional>

#include "base/forward_clock.h"
#include "base/metrics.h"
#include "base/ticker.h"

namespace maejin::app {

class TimeKeeper {
 public:
  // How often the mark is written. A restart behind the mark goes on from the mark plus this interval: no
  // time before it was shown.
  static constexpr Seconds kMarkEvery{5};

  // `source` and `metrics` outlive it.
  TimeKeeper(const Clock& source, Metrics& metrics);

  const Clock& clock() const { return clock_; }
  // Call once, before the clock is used. `mark`: as the last run wrote it; absent: there is none.
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
