// Shows the progress of a sale with simulated fans.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/time.h"
#include "cli/fans/fan.h"

namespace maejin::cli {

// Writes a text line and flushes.
void WriteLine(std::FILE* out, const std::string& line);

// Call Show four times a second. On a terminal the text line is overwritten; elsewhere one is printed every
// two seconds.
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* out);

  void Show(const std::string& text);
  void End() const;

 private:
  std::FILE* out_;
  bool terminal_;
  int steps_ = 0;
};

// A copy of CrowdCounts; += adds several crowds.
struct CrowdSnapshot {
  CrowdSnapshot() = default;
  explicit CrowdSnapshot(const CrowdCounts& counts);
  CrowdSnapshot& operator+=(const CrowdSnapshot& other);

  std::int64_t waiting = 0;
  std::int64_t inside = 0;
  std::int64_t held = 0;
  std::int64_t paid = 0;
  std::int64_t gave_up = 0;
};

std::string ProgressText(const CrowdSnapshot& snapshot, std::int64_t seats, Millis to_opening);

}  // namespace maejin::cli
