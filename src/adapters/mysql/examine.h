// Is this database fit to be the authority of an on-sale? Asked by `maejin doctor`, and before a node starts
// to serve.
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

// Connection, version, encryption, isolation, clock, flush at commit, privileges, connections, schema. Ends
// with the first one that cannot be asked. Changes nothing but a table of its own, which it removes.
std::vector<DatabaseFinding> Examine(const DatabaseUrl& url);

}  // namespace maejin::mysql
