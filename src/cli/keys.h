// `maejin keys rotate`: new signing keys, with overlap.
#pragma once

#include "cli/verb.h"

namespace maejin::cli {

// Through the running server, or in the key folder itself where none runs.
int RunKeysRotate(const Invocation& invocation);

}  // namespace maejin::cli
