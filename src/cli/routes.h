// maejin routes: every method and path the server answers, for the test of openapi.yaml.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunRoutes(const Invocation& invocation);

}  // namespace maejin::cli
