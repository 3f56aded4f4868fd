// The report of a rehearsal, as text and as JSON.
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
  kIncomplete,  // no broken invariant, but not sold out, or the server's state is unknown
};

struct RehearsalReport {
  RehearsalPlan plan;
  ConcertId concert = 0;
  std::string title;
  Ledger ledger;
  std::optional<ServerState> state;  // absent: could not be read, so there is no audit
  AuditReport audit;
  Millis lasted{0};     // from the opening to the end
  std::string ended;    // why it ended before the sell-out; empty if sold out
  std::string remains;  // a sentence about what remains on the server
  std::string sale;     // the server's sale report as JSON, or empty

  Verdict verdict() const;
};

std::string_view Name(Verdict verdict);
std::string ReportText(const RehearsalReport& report);
// One object, as docs/rehearsal.md describes it.
std::string ReportJson(const RehearsalReport& report);

}  // namespace maejin::cli
