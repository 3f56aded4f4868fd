// The audit of a rehearsal: what the fans were told against what the server's books say. A pure function of the two; an
// answer that was lost is "unknown", never "failed".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/rehearsal/ledger.h"
#include "cli/rehearsal/server_state.h"

namespace maejin::cli {

// One invariant, and what was found against it.
struct Check {
  std::string_view invariant;  // "I1" of the catalogue
  std::string_view name;       // for machines: "double-sale"
  std::string_view sentence;   // what always holds
  std::int64_t compared = 0;   // how much the check rests on
  std::int64_t problems = 0;
  std::vector<std::string> examples = {};  // the first few of them

  void Fail(std::string example);
};

struct AuditReport {
  std::vector<Check> checks;
  bool sold_out = false;  // the server says so
  // Payments whose answer was lost, and what the server's books say became of them.
  std::int64_t unknown_sold = 0;
  std::int64_t unknown_not_sold = 0;
  // Holds that exist although their fan never heard of them: their answers were lost.
  std::int64_t unknown_holds = 0;

  bool holds() const;
};

struct AuditRules {
  std::int64_t capacity = 0;  // of the room
  Seconds token_ttl{300};     // of a slot
};

AuditReport Audit(const Ledger& ledger, const ServerState& state, const AuditRules& rules);

}  // namespace maejin::cli
