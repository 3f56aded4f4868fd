// SIGINT and SIGTERM as events to wait for; they do not interrupt a thread.
#pragma once

#include "base/time.h"

namespace maejin::cli {

// What SIGHUP does: end the process at once, as by default, or nothing.
enum class Hangup { kEnds, kIgnored };

// Construct before any thread starts: threads inherit the blocked signals. SIGPIPE is ignored.
class StopSignals {
 public:
  explicit StopSignals(Hangup hangup = Hangup::kEnds);

  // Returns when SIGINT or SIGTERM arrives. Logs each SIGHUP that is ignored.
  void Wait() const;
  // The same with a timeout; true if one arrived.
  bool WaitFor(Millis length) const;
  // Unblocks the signals: the next one ends the process at once, also during a slow shutdown.
  void RestoreDefault() const;

 private:
  const Hangup hangup_;
};

}  // namespace maejin::cli
