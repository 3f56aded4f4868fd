// Checks of this machine and its back ends, before an on-sale: `maejin doctor`, and the server's readiness.
#pragma once

#include <vector>

#include "config/config.h"
#include "domain/finding.h"

namespace maejin::app {

// Runs all checks. Blocks. Writes only one temporary file, which it removes; on a shared database a table
// that it removes.
std::vector<Finding> ExamineNode(const config::Config& config);

}  // namespace maejin::app
