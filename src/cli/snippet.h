// `maejin snippet KIND [FILE]`: prints a connector, a file for the gateway of a shop that lets only admitted
// visitors pass. tests/e2e/gate_test.py runs these texts.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunSnippet(const Invocation& invocation);
std::vector<VerbFlag> SnippetFlags();

}  // namespace maejin::cli
