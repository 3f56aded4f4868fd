// SIGINT and SIGTERM as events to wait for; they do not interrupt a thread.
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
  // The same with a timeout; true if one arrived.
  bool WaitFor(Millis length) const;
  // Unblocks the signals: the next one ends the process at once, also during a slow shutdown.
  void RestoreDefault() const;

 private:
  const Hangup hangup_;
};

}  // namespace maejin::cli
