// maejin data export, maejin data import: everything but the moment, from a data folder to a shared database and back.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunDataExport(const Invocation& invocation);
int RunDataImport(const Invocation& invocation);

}  // namespace maejin::cli
