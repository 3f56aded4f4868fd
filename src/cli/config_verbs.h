// maejin config check, show and table.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunConfigCheck(const Invocation& invocation);
int RunConfigShow(const Invocation& invocation);
int RunConfigTable(const Invocation& invocation);

}  // namespace maejin::cli
