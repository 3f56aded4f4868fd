// Checks whether a database is fit for a sale: for `maejin doctor`, and before a node serves.
#pragma once

#include <vector>

#include "adapters/mysql/url.h"
#include "domain/finding.h"

namespace maejin::mysql {

// Checks connection, version, encryption, isolation, clock, flush at commit, privileges, connections and
// schema. Stops at the first check that cannot be made. It creates one table for the check, and drops it.
std::vector<Finding> Examine(const DatabaseUrl& url);

}  // namespace maejin::mysql
