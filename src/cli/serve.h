// maejin serve
#pragma once

#include "cli/verb.h"

namespace maejin::cli {

int RunServe(const Invocation& invocation);

}  // namespace maejin::cli
