// `maejin snippet KIND [FILE]`: prints a file of a connector. With a connector, a shop's gateway lets only
// admitted visitors pass. tests/e2e/gate_test.py runs these files.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunSnippet(const Invocation& invocation);
std::vector<VerbFlag> SnippetFlags();

}  // namespace maejin::cli
