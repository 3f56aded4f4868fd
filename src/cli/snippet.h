// `maejin snippet nginx`: what to put in front of a shop so that only fans who are inside reach it. The text
// is the one that tests/e2e/gate_test.py runs.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunSnippet(const Invocation& invocation);
std::vector<VerbFlag> SnippetFlags();

}  // namespace maejin::cli
