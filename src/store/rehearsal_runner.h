// The port of the rehearsal that an operator starts on this node. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/rehearsal.h"
#include "domain/words.h"

namespace maejin {

enum class RehearsalState : std::uint8_t {
  kRunning,
  kCancelling,  // an operator cancelled it; its concert is being cleaned up
  kFinished,    // with a report, whatever its verdict
  kFailed,      // without a report
  kCancelled,
};

constexpr std::string_view Name(RehearsalState state) {
  switch (state) {
    case RehearsalState::kRunning:
      return "running";
    case RehearsalState::kCancelling:
      return "cancelling";
    case RehearsalState::kFinished:
      return "finished";
    case RehearsalState::kFailed:
      return "failed";
    case RehearsalState::kCancelled:
      break;
  }
  return "cancelled";
}

struct RehearsalStatus {
  std::int64_t id = 0;  // counts from 1 since this node started
  RehearsalState state = RehearsalState::kRunning;
  std::string actor;  // the operator that started it
  RehearsalNumbers numbers;
  Time started_at{};
  std::optional<Time> ended_at;
  ConcertId concert = 0;  // 0: not created yet
  std::string progress;   // a JSON object as docs/rehearsal.md describes it, or empty
  std::string report;     // likewise a JSON object, or empty
  std::string reason;     // why it failed: a sentence, or empty

  bool running() const { return state == RehearsalState::kRunning || state == RehearsalState::kCancelling; }
};

class RehearsalRunner {
 public:
  // Called once, after the rehearsal has ended and before Read() reports the end, on a thread that may wait.
  using OnEnd = std::function<Task<Outcome<Done>>(RehearsalStatus)>;

  virtual ~RehearsalRunner() = default;
  // Starts a rehearsal and returns while it runs. Refuses: kRehearsalRunning, kUnavailable (the node stops).
  virtual Outcome<RehearsalStatus> Start(RehearsalNumbers numbers, std::string actor, OnEnd on_end) = 0;
  // The rehearsal that runs, or the last one. Absent: none since this node started.
  virtual std::optional<RehearsalStatus> Read() const = 0;
  // Returns at once; the rehearsal then ends within half a minute. False if none runs.
  virtual bool Cancel() = 0;
};

}  // namespace maejin
