// What `maejin doctor` says of the sale itself: how users are verified, and which limits are switched off.
#pragma once

#include <vector>

#include "cli/doctor.h"

namespace maejin::cli {

// How users prove their name.
Finding CheckUsers(const config::Config& config);

// Concerts and rooms of the running server without a limit per customer or address. Without a running server:
// no finding.
std::vector<Finding> CheckSaleLimits(const config::Config& config);

}  // namespace maejin::cli
