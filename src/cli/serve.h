// maejin serve: runs the server until SIGINT or SIGTERM.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunServe(const Invocation& invocation);

}  // namespace maejin::cli
