// maejin version
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunVersion(const Invocation& invocation);

}  // namespace maejin::cli
