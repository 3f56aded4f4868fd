#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace maejin {

void FailCheck(const char* file, int line, const char* condition, const char* message) {
  std::fprintf(stderr, "maejin: invariant broken: %s (%s, %s:%d)\n", message, condition, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace maejin
