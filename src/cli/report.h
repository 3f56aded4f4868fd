// `maejin report write` and `maejin report verify`: the report of a sale, and its verification.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> ReportWriteFlags();
int RunReportWrite(const Invocation& invocation);

// Compares a report (JSON) with the server's present rows. Exit code 0: nothing was changed.
std::vector<VerbFlag> ReportVerifyFlags();
int RunReportVerify(const Invocation& invocation);

}  // namespace maejin::cli
