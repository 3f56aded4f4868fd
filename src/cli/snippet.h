// `maejin snippet nginx`: prints a gateway configuration that lets only admitted fans reach a shop.
// tests/e2e/gate_test.py runs this text.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunSnippet(const Invocation& invocation);
std::vector<VerbFlag> SnippetFlags();

}  // namespace maejin::cli
