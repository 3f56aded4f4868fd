// maejin demo: a complete on-sale in one command. Starts a server, creates a few concerts, and runs simulated
// fans that buy them over the HTTP API until they are sold out.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> DemoFlags();
int RunDemo(const Invocation& invocation);

}  // namespace maejin::cli
