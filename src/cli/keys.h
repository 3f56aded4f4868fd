// `maejin keys rotate`: new signing keys, with overlap.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// Through the running server, or in the key folder itself where no server runs.
int RunKeysRotate(const Invocation& invocation);

}  // namespace maejin::cli
