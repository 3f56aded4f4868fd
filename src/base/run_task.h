// Runs one task to its end on the calling thread: for command line verbs, tests and benchmarks, never inside
// the server.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/task.h"

namespace maejin {

// Runs the tasks concurrently on the calling thread until all have ended. No task may throw.
void RunTasks(std::vector<Task<void>> tasks);

// Runs the task until it has ended, and rethrows what it throws.
void RunTask(Task<void> task);

template <class T>
Task<void> StoreResult(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

template <class T>
T RunTask(Task<T> task) {
  std::optional<T> result;
  RunTask(StoreResult(std::move(task), result));
  return std::move(*result);
}

}  // namespace maejin
