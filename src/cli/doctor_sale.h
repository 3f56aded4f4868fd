// What `maejin doctor` asks the running server: which limits are switched off, and whether a sale is ready.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "domain/finding.h"

namespace maejin::cli {

// Concerts and rooms of the running server without a limit per customer or address. Without a running server:
// no finding.
std::vector<Finding> CheckSaleLimits(const config::Config& config);

// Every check of the running server, for one concert. One bad finding if no server runs or it has no such
// concert.
std::vector<Finding> ExamineSale(const config::Config& config, const std::string& sale);

}  // namespace maejin::cli
