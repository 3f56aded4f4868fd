// The program: everything it can do is a verb of cli/verbs.cpp.
#include <unistd.h>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  return maejin::cli::RunCommandLine({argv + 1, argv + argc}, environment);
}
