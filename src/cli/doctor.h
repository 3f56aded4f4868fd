// maejin doctor: checks data folder, disk, clock, limits and back ends before an on-sale.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// Exit code 1 if a finding is bad, else 0.
int RunDoctor(const Invocation& invocation);

}  // namespace maejin::cli
