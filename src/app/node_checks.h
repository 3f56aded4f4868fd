// Checks of this machine and its back ends, before an on-sale: `maejin doctor`, and the server's readiness.
#pragma once

#include <vector>

#include "config/config.h"
#include "domain/finding.h"

namespace maejin::app {

// Runs all checks. Blocks. The checks write one temporary file and, in a shared database, one table, and
// remove both. They may create the signing keys if there are none.
std::vector<Finding> ExamineNode(const config::Config& config);

}  // namespace maejin::app
