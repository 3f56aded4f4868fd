// `maejin import soldouts FILE`: imports past sell-outs from NDJSON, a JSON array or CSV.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunImportSoldOuts(const Invocation& invocation);

}  // namespace maejin::cli
