// maejin serve
#pragma once

#include "cli/application.h"
#include "cli/verb.h"

namespace maejin::cli {

int RunServe(const Invocation& invocation);

// The part of the configuration that the application is built from.
ApplicationOptions OptionsOf(const Config& config);

}  // namespace maejin::cli
