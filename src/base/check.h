// Invariants that stay in release builds. A broken one would sell a seat twice, lose money or exceed a
// capacity. So the process ends at once with a readable message, and the restart recovers from what is
// durable. Not for refusals, bad input or failing back ends: those are results.
#pragma once

namespace maejin {

[[noreturn]] void FailCheck(const char* file, int line, const char* condition, const char* message);

}  // namespace maejin

// MAEJIN_CHECK(condition, "the invariant, as a sentence")
// The message has the file's name without its folder, so that builds in two folders give the same program.
#define MAEJIN_CHECK(condition, message)                                                   \
  do {                                                                                     \
    if (!(condition)) ::maejin::FailCheck(__FILE_NAME__, __LINE__, #condition, (message)); \
  } while (false)
