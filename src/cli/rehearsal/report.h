// The report of a rehearsal, for people and for machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/rehearsal/audit.h"
#include "cli/rehearsal/plan.h"

namespace maejin::cli {

enum class Verdict : std::uint8_t {
  kPassed,      // sold out, and every invariant holds
  kFailed,      // an invariant is broken
  kIncomplete,  // nothing wrong was found, but it was not sold out, or the books could not be read
};

struct RehearsalReport {
  RehearsalPlan plan;
  ConcertId concert = 0;
  std::string title;
  Ledger ledger;
  std::optional<ServerState> state;  // absent: the books could not be read, and nothing was audited
  AuditReport audit;
  Millis lasted{0};         // from the opening to the end
  std::string ended;        // why it is not sold out; empty: it is
  std::string left_behind;  // a sentence about what stays on the server

  Verdict verdict() const;
};

std::string_view Name(Verdict verdict);
std::string ReportText(const RehearsalReport& report);
// One object, as docs/rehearsal.md describes it.
std::string ReportJson(const RehearsalReport& report);

}  // namespace maejin::cli
