// The command line as a whole: finds the verb, reads its flags and the settings, runs it. CLI11 stays behind
// this header: it is slow to compile.
#pragma once

#include <string>
#include <vector>

#include "cli/common/verb.h"

namespace maejin::cli {

// `arguments` without the program's name; `environment` as "NAME=value". Returns the exit code.
int RunCommandLine(const std::vector<std::string>& arguments, const std::vector<std::string>& environment);
// `help`: what --help says after the words that follow.
int RunHelp(const Invocation& invocation);

}  // namespace maejin::cli
