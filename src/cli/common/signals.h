// SIGINT and SIGTERM as something to wait for, instead of something that interrupts.
#pragma once

#include "base/time.h"

namespace maejin::cli {

// Construct before any thread starts: they inherit that the two signals (and SIGPIPE) interrupt nobody.
class StopSignals {
 public:
  StopSignals();

  // Returns when one arrives.
  void Wait() const;
  // The same, at most this long; true if one arrived.
  bool WaitFor(Millis length) const;
  // From here on a further signal ends the process at once: for an operator who cannot wait.
  void EndAtOnce() const;
};

}  // namespace maejin::cli
