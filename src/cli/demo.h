// maejin demo: a whole on-sale in one command. Starts the server, creates a few concerts, and lets simulated
// fans buy them over the real HTTP API until they are sold out.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> DemoFlags();
int RunDemo(const Invocation& invocation);

}  // namespace maejin::cli
