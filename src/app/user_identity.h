// Authenticates users in the way that the configuration chooses.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "http/identity.h"

namespace maejin::app {

// Trusted user ids, or user tokens signed with the configured key or key set. The error is a sentence: the
// file cannot be read, or holds no key. `clock` outlives the identity.
Result<std::unique_ptr<http::Identity>, std::string> MakeIdentity(const config::Config& config,
                                                                  const Clock& clock);

}  // namespace maejin::app
