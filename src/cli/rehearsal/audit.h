// The audit of a rehearsal: compares the fans' ledger with the server's state. A pure function. A lost answer
// counts as "unknown", never as "failed".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/rehearsal/ledger.h"
#include "cli/rehearsal/server_state.h"

namespace maejin::cli {

// One invariant and its violations.
struct Check {
  std::string_view invariant;  // "I1" of docs/rehearsal.md
  std::string_view name;       // in JSON: "double-sale"
  std::string_view sentence;   // the invariant
  std::int64_t compared = 0;   // number of compared items
  std::int64_t problems = 0;
  std::vector<std::string> examples = {};  // the first few problems

  void Fail(std::string example);
};

struct AuditReport {
  std::vector<Check> checks;
  bool sold_out = false;  // by the server's state
  // Payments whose answer was lost, by their outcome on the server.
  std::int64_t unknown_sold = 0;
  std::int64_t unknown_not_sold = 0;
  // Holds on the server whose answer was lost.
  std::int64_t unknown_holds = 0;

  bool holds() const;
};

struct AuditRules {
  std::int64_t capacity = 0;  // of the room
  Seconds token_ttl{300};     // of a slot
  Seconds hold{300};          // of the concert
};

AuditReport Audit(const Ledger& ledger, const ServerState& state, const AuditRules& rules);

}  // namespace maejin::cli
