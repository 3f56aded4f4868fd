// How a sale with simulated fans is shown while it runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/time.h"
#include "cli/fans/fan.h"

namespace maejin::cli {

// A whole line, at once.
void SayOn(std::FILE* out, const std::string& line);

// Rewritten in place on a terminal; every two seconds otherwise. To be shown four times a second.
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

// CrowdCounts at one moment; of several crowds together with +=.
struct Tally {
  Tally() = default;
  explicit Tally(const CrowdCounts& counts);
  Tally& operator+=(const Tally& other);

  std::int64_t waiting = 0;
  std::int64_t inside = 0;
  std::int64_t held = 0;
  std::int64_t paid = 0;
  std::int64_t gave_up = 0;
};

std::string ProgressText(const Tally& tally, std::int64_t seats, Millis to_opening);

}  // namespace maejin::cli
