// Waits for a condition instead of a fixed time.
#pragma once

#include <chrono>
#include <thread>

#include "base/time.h"

namespace maejin::test {

// True as soon as `condition()` is true; false after the limit. Name a limit only if it is under test.
template <class Condition>
bool Await(Condition condition, Millis limit = Seconds{60}) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace maejin::test
