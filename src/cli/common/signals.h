// Lets a program wait for SIGINT and SIGTERM, instead of being ended by them.
#pragma once

#include <functional>

#include "base/time.h"

namespace maejin::cli {

// What SIGHUP does: end the process at once, as by default, or have Wait() call a function.
enum class Hangup { kEnds, kHandled };

// Construct before any thread starts: threads inherit the blocked signals. SIGPIPE is ignored.
class StopSignals {
 public:
  explicit StopSignals(Hangup hangup = Hangup::kEnds);

  // Returns when SIGINT or SIGTERM arrives. Calls `on_hangup` for SIGHUP if it is handled.
  void Wait(const std::function<void()>& on_hangup = {}) const;
  // Waits at most `length` for SIGINT or SIGTERM. True: one arrived.
  bool WaitFor(Millis length) const;
  // Unblocks SIGINT and SIGTERM: the next one ends the process at once, also during a slow shutdown.
  void RestoreDefault() const;

 private:
  const Hangup hangup_;
};

}  // namespace maejin::cli
