// maejin rehearse: a full on-sale with simulated fans against a server that runs, and an audited report.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// Exit codes of its own, besides those of cli/common/verb.h.
inline constexpr int kExitBroken = 3;      // the audit found an invariant broken
inline constexpr int kExitIncomplete = 4;  // nothing wrong was found, but it was not sold out

int RunRehearse(const Invocation& invocation);

}  // namespace maejin::cli
