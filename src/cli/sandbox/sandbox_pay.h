// maejin sandbox-pay: a payment provider with play money and configurable faults, as a separate process.
#pragma once

#include <vector>

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> SandboxPayFlags();
int RunSandboxPay(const Invocation& invocation);

}  // namespace maejin::cli
