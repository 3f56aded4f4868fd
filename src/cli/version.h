// maejin version
#pragma once

#include "cli/verb.h"

namespace maejin::cli {

int RunVersion(const Invocation& invocation);

}  // namespace maejin::cli
