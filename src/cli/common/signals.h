// Waits for SIGINT and SIGTERM instead of handling them asynchronously.
#pragma once

#include "base/time.h"

namespace maejin::cli {

// Blocks SIGINT and SIGTERM and ignores SIGPIPE. Construct before any thread starts: threads inherit the
// mask.
class StopSignals {
 public:
  StopSignals();

  // Returns when one arrives.
  void Wait() const;
  // The same with a timeout; true if one arrived.
  bool WaitFor(Millis length) const;
  // Unblocks the signals: the next one ends the process at once, also during a slow shutdown.
  void RestoreDefault() const;
};

}  // namespace maejin::cli
