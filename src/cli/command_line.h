// Parses the command line: finds the verb, reads flags and settings, runs the verb. Only the implementation
// includes CLI11, because it is slow to compile.
#pragma once

#include <string>
#include <vector>

#include "cli/common/verb.h"

namespace maejin::cli {

// `arguments` without the program's name; `environment` as "NAME=value". Returns the exit code.
int RunCommandLine(const std::vector<std::string>& arguments, const std::vector<std::string>& environment);
// The verb `help`: prints the --help of the verb in `arguments`.
int RunHelp(const Invocation& invocation);

}  // namespace maejin::cli
