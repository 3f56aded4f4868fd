// `maejin keys rotate`: creates new signing keys; the old ones stay valid for verification.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// Through the running server; without one, in the database or the key folder.
int RunKeysRotate(const Invocation& invocation);

}  // namespace maejin::cli
