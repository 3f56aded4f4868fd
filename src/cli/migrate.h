// maejin migrate: migrates the shared database to this version's schema. Starting a server does the same.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunMigrate(const Invocation& invocation);

}  // namespace maejin::cli
