// maejin sandbox-pay: a payment provider with play money, as a process of its own, that can be told to misbehave.
#pragma once

#include <vector>

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> SandboxPayFlags();
int RunSandboxPay(const Invocation& invocation);

}  // namespace maejin::cli
