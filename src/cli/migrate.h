// maejin migrate: brings the shared database to the schema this program knows. A start does the same.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunMigrate(const Invocation& invocation);

}  // namespace maejin::cli
