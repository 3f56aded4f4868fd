// maejin top: a running server at a glance, again and again, for whoever watches an on-sale over SSH.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> TopFlags();

// Until Ctrl-C or q (0). A server that does not answer is waited for, except by --once and where nothing was seen yet
// and nobody looks at a screen (1).
int RunTop(const Invocation& invocation);

}  // namespace maejin::cli
