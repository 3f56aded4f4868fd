// `maejin keys rotate`: creates new signing keys; the old ones stay valid for verification.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// Rotates through the running server; without a server, directly in the database or the key folder.
int RunKeysRotate(const Invocation& invocation);

}  // namespace maejin::cli
