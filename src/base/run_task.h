// Runs one task to its end on the calling thread: for command line verbs, tests and benchmarks, never inside
// the server.
#pragma once

#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/task.h"

namespace maejin {

namespace internal {

// Exclusive use of an event loop. Loops are reused and never destroyed: the thread that posted a task's last
// step may still signal the loop after the task has ended.
class BorrowedLoop {
 public:
  BorrowedLoop();
  ~BorrowedLoop();
  BorrowedLoop(const BorrowedLoop&) = delete;
  BorrowedLoop& operator=(const BorrowedLoop&) = delete;
  boost::asio::io_context& context() { return *context_; }

 private:
  boost::asio::io_context* context_;
};

}  // namespace internal

// Runs the tasks concurrently on the calling thread until all have ended. No task may throw.
void RunTasks(std::vector<Task<void>> tasks);

template <class T>
Task<void> StoreResult(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

template <class T>
T RunTask(Task<T> task) {
  internal::BorrowedLoop loop;
  std::optional<T> result;
  std::exception_ptr failure;
  boost::asio::co_spawn(loop.context().get_executor(), StoreResult(std::move(task), result),
                        [&](std::exception_ptr thrown) { failure = thrown; });
  loop.context().run();
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace maejin
