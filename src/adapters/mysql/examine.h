// Checks whether a database is fit for a sale: for `maejin doctor`, and before a node serves.
#pragma once

#include <string>
#include <vector>

#include "adapters/mysql/url.h"

namespace maejin::mysql {

struct DatabaseFinding {
  enum class Health : std::uint8_t { kGood, kWarning, kBad };
  Health health = Health::kGood;
  std::string sentence;
};

// Checks connection, version, encryption, isolation, clock, flush at commit, privileges, connections and
// schema. Stops at the first check that cannot be made. It creates one table for the check, and drops it.
std::vector<DatabaseFinding> Examine(const DatabaseUrl& url);

}  // namespace maejin::mysql
