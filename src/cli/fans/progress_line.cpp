#include "cli/fans/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

namespace maejin::cli {

void WriteLine(std::FILE* out, const std::string& line) {
  std::fputs((line + '\n').c_str(), out);
  std::fflush(out);
}

ProgressLine::ProgressLine(std::FILE* out) : out_(out), terminal_(isatty(fileno(out)) == 1) {}

void ProgressLine::Show(const std::string& text) {
  if (terminal_) {
    std::fputs(("\r\033[K" + text).c_str(), out_);
    std::fflush(out_);
  } else if (steps_++ % 8 == 0) {
    WriteLine(out_, text);
  }
}

void ProgressLine::End() const {
  if (terminal_) std::fputs("\n", out_);
}

CrowdSnapshot::CrowdSnapshot(const CrowdCounts& counts)
    : waiting(counts.waiting),
      inside(counts.inside),
      held(counts.held),
      paid(counts.paid),
      gave_up(counts.gave_up) {}

CrowdSnapshot& CrowdSnapshot::operator+=(const CrowdSnapshot& other) {
  waiting += other.waiting;
  inside += other.inside;
  held += other.held;
  paid += other.paid;
  gave_up += other.gave_up;
  return *this;
}

std::string ProgressText(const CrowdSnapshot& snapshot, std::int64_t seats, Millis to_opening) {
  const auto line =
      fmt::format("waiting {:>4}   inside {:>3}   paying {:>3}   sold {:>4} of {}   gave up {:>3}",
                  snapshot.waiting, snapshot.inside, snapshot.held, snapshot.paid, seats, snapshot.gave_up);
  if (to_opening.count() <= 0) return line;
  return fmt::format("opens in {:>3} s   {}", (to_opening.count() + 999) / 1000, line);
}

}  // namespace maejin::cli
