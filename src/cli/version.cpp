#include "cli/version.h"

#include <cstdio>

namespace maejin::cli {

int RunVersion(const Invocation& invocation) {
  std::puts(invocation.json ? "{\"version\":\"" MAEJIN_VERSION "\"}" : "maejin " MAEJIN_VERSION);
  return kExitDone;
}

}  // namespace maejin::cli
