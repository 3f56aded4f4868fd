// Tests wait for what they are about, not for a time.
#pragma once

#include <chrono>
#include <thread>

#include "base/time.h"

namespace maejin::test {

// True as soon as `condition()` is; false where it is not within the limit, which only those name to whom it is a promise.
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
