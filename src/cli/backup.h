// `maejin backup`, `restore` and `verify`: a data folder in one file.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunBackup(const Invocation& invocation);
int RunRestore(const Invocation& invocation);
int RunVerify(const Invocation& invocation);

}  // namespace maejin::cli
