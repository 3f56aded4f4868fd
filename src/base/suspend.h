// Suspends a task until other code resumes it, e.g. another thread that has worked for the task.
#pragma once

#include <functional>

#include "base/task.h"

namespace maejin {

using Resume = std::function<void()>;

// Suspends the calling task and then calls `start` with a function that resumes it. Call that function once,
// on any thread. The task continues on its own event loop, which does not end before.
Task<void> Suspend(std::function<void(Resume)> start);

}  // namespace maejin
