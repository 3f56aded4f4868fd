// maejin routes: lists every method and path of the server, for the test of openapi.yaml.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunRoutes(const Invocation& invocation);

}  // namespace maejin::cli
