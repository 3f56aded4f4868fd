// maejin rehearse: a complete on-sale with simulated fans against a running server, and an audited report.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// Exit codes in addition to those of cli/common/verb.h.
inline constexpr int kExitBroken = 3;      // the audit found a broken invariant
inline constexpr int kExitIncomplete = 4;  // no broken invariant, but not sold out

int RunRehearse(const Invocation& invocation);

}  // namespace maejin::cli
