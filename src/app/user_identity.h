// Who fans are, by the configuration.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "http/identity.h"

namespace maejin::app {

// Trusted, or signed with the key or key set of the configuration. The error is a sentence: a file that
// cannot be read, or holds no key. `clock` outlives the identity.
Result<std::unique_ptr<http::Identity>, std::string> MakeIdentity(const config::Config& config,
                                                                  const Clock& clock);

}  // namespace maejin::app
