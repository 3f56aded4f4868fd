// maejin data export, maejin data import: moves all durable data between a data folder and a shared database.
// Waiting rooms, idempotency keys and signing keys are not moved.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunDataExport(const Invocation& invocation);
int RunDataImport(const Invocation& invocation);

}  // namespace maejin::cli
