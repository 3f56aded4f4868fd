// Who fans are, by the configuration.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/config.h"
#include "http/identity.h"

namespace maejin::cli {

// Trusted, or signed with the key or key set of the configuration. The error is a sentence: a file that
// cannot be read, or holds no key. `clock` outlives the identity.
Result<std::unique_ptr<http::Identity>, std::string> MakeIdentity(const Config& config, const Clock& clock);

}  // namespace maejin::cli
