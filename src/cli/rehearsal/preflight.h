// Checks a server before a rehearsal: its settings must allow one.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/common/http_client.h"
#include "cli/fans/fan.h"
#include "cli/rehearsal/plan.h"
#include "config/config.h"

namespace maejin::cli {

struct PreflightResult {
  std::size_t connections = 0;        // shared by the fans
  std::unique_ptr<UserTokens> users;  // null: the server trusts user ids
};

// Refuses, with a sentence: no server answers; wrong admin key; payments may be real money; user tokens
// cannot be signed here; more connections than the server accepts per address, or than this process may open.
Result<PreflightResult, std::string> RunPreflight(HttpClient& admin, const RehearsalPlan& plan,
                                                  const config::Config& config);

}  // namespace maejin::cli
