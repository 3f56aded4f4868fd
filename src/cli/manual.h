// maejin completions, maejin man: the command line described from its own tables, for shells and for man(1).
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// bash, zsh (through its bash mode) or fish.
int RunCompletions(const Invocation& invocation);
// maejin(1) in troff: `maejin man > /usr/share/man/man1/maejin.1`.
int RunMan(const Invocation& invocation);

}  // namespace maejin::cli
