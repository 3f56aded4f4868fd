// maejin top: shows a running server's health and rates in a terminal.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> TopFlags();

// Runs until Ctrl-C or q (exit code 0). Waits while the server does not answer; but --once, or a first
// reading without a terminal, fails with exit code 1.
int RunTop(const Invocation& invocation);

}  // namespace maejin::cli
