// maejin erase --user ID
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunErase(const Invocation& invocation);

}  // namespace maejin::cli
