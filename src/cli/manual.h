// maejin completions, maejin man: generated from the tables of verbs and settings.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// Prints the completions for bash, zsh or fish.
int RunCompletions(const Invocation& invocation);
// maejin(1) in troff: `maejin man > /usr/share/man/man1/maejin.1`.
int RunMan(const Invocation& invocation);

}  // namespace maejin::cli
