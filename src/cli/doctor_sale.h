// What `maejin doctor` asks the running server: which limits are switched off, and whether a sale is ready.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "domain/finding.h"

namespace maejin::cli {

// Warns of concerts and rooms of the running server that have no limit per customer or address. Without a
// running server there is no finding.
std::vector<Finding> CheckSaleLimits(const config::Config& config);

// The findings of the running server about one concert and itself. One bad finding if no server runs or it
// has no such concert.
std::vector<Finding> ExamineSale(const config::Config& config, const std::string& sale);

}  // namespace maejin::cli
