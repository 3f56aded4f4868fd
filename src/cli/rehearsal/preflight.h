// Before a rehearsal: what the server says about itself, and whether fans may be let loose on it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/common/http_client.h"
#include "cli/fans/fan.h"
#include "cli/rehearsal/plan.h"
#include "config/config.h"

namespace maejin::cli {

struct Clearance {
  std::size_t connections = 0;        // how many the fans share
  std::unique_ptr<UserTokens> users;  // absent: the server believes names
};

// Refuses, with a sentence: no such server; a wrong key; payments that cannot be known to be play money; user tokens that
// cannot be made here; more connections than the server takes from one address, or than this process may open.
Result<Clearance, std::string> ClearTheStage(HttpClient& admin, const RehearsalPlan& plan,
                                             const config::Config& config);

}  // namespace maejin::cli
