// maejin serve
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunServe(const Invocation& invocation);

}  // namespace maejin::cli
